/* run: -w */
/* more than half a second in one is refused */
ERROR { printf("fault %d\n", arg4); exit(0); }
BEGIN { chill(600000000); }
