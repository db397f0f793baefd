/* no more than there is */
ERROR { printf("fault %d\n", arg4); exit(0); }
BEGIN { this->p = alloca(1000000); printf("not reached\n"); }
