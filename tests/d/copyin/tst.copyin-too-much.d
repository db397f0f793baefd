/* no more than there is */
ERROR { printf("fault %d\n", arg4); exit(0); }
BEGIN { this->p = copyin(4096, 1 << 30); printf("not reached\n"); }
