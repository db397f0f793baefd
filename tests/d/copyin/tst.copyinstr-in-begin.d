/* there is no target thread */
ERROR { printf("fault %d\n", arg4); exit(0); }
BEGIN { this->p = copyinstr(4096); printf("not reached\n"); }
