/* arg4 of ERROR is one of them */
BEGIN { trace(*(int *)NULL); }
ERROR { printf("%d %d\n", arg4 == DTRACEFLT_BADADDR, arg5); exit(0); }
