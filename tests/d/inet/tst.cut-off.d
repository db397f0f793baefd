/* three bytes are no address */
ERROR { printf("fault %d\n", arg4); exit(0); }
BEGIN { this->x = inet_ntoa((ipaddr_t *)alloca(3)); }
