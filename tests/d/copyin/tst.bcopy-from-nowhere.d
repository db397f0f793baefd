/* tracer memory is read, not the target */
ERROR { printf("fault %d\n", arg4); exit(0); }
BEGIN { this->p = alloca(8); bcopy((void *)4096, this->p, 4); printf("not reached\n"); }
