/* the destination is scratch memory or nothing */
ERROR { printf("fault %d\n", arg4); exit(0); }
BEGIN { copyinto(4096, 4, (void *)8192); printf("not reached\n"); }
