/* there is no such base */
ERROR { printf("fault %d\n", arg4); exit(0); }
BEGIN { this->x = lltostr(1, 0); }
