/* the process of BEGIN and END is dtrace: its memory can be read, nothing else */
/* run: -q -s @file@ one */
BEGIN { this->argv = (uintptr_t)curpsinfo->pr_argv; this->arg = *(uint64_t *)copyin(this->argv + 8, 8); printf("%s\n", copyinstr(this->arg)); }
BEGIN { this->n = curpsinfo->pr_argc; this->arg = *(uint64_t *)copyin((uintptr_t)curpsinfo->pr_argv + 8 * (this->n - 1), 8); printf("%s %s\n", copyinstr(this->arg), $$1); }
ERROR { printf("fault %d %x\n", arg4, arg5); exit(0); }
BEGIN { copyin(0x5000, 4); }
