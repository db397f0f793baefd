/* refused when it runs */
ERROR { printf("fault %d\n", arg4); exit(0); }
BEGIN { this->x = link_ntop(2, alloca(20)); }
