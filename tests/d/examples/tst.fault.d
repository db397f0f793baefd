BEGIN { printf("before\n"); x = *(int *)0; printf("after\n"); }
ERROR { printf("fault %d at %x\n", arg4, arg5); exit(3); }
