/* refused */
BEGIN { this->x = inet_ntoa6((ipaddr_t *)alloca(4)); exit(0); }
