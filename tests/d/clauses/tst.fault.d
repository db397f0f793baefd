/* a fault drops the record of its clause only */
BEGIN { x = 1; printf("dropped\n"); @ = count(); y = *(int *)8; x = 2; }
BEGIN { printf("x %d\n", x); exit(0); }
ERROR { printf("%s epid %d fault %d at %x\n", probename, arg1, arg4, arg5); }
