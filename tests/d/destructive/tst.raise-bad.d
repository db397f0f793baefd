/* run: -w */
/* no such signal */
ERROR { printf("fault %d\n", arg4); exit(0); }
BEGIN { raise(1000); }
