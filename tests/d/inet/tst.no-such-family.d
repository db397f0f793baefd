/* refused when it runs */
ERROR { printf("fault %d\n", arg4); exit(0); }
BEGIN { this->x = inet_ntop(26, alloca(16)); }
