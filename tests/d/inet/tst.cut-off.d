/* three bytes are no address */
char three[3];
ERROR { printf("fault %d\n", arg4); exit(0); }
BEGIN { this->x = inet_ntoa((ipaddr_t *)&three[0]); }
