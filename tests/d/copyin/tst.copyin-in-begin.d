/* there is no target thread */
ERROR { printf("fault %d\n", arg4); exit(0); }
BEGIN { this->p = copyin(4096, 4); printf("not reached\n"); }
