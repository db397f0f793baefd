/* past the end of what was taken */
ERROR { printf("fault %d\n", arg4); exit(0); }
BEGIN { this->p = alloca(8); bcopy((char *)"abcdefghijklmnop", this->p, 16); printf("not reached\n"); }
