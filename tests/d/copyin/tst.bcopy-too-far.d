/* past the end of scratch memory */
ERROR { printf("fault %d\n", arg4); exit(0); }
BEGIN { this->p = (char *)alloca(8); bcopy((char *)"abcdefghijklmnop", this->p + 65530, 16); printf("not reached\n"); }
