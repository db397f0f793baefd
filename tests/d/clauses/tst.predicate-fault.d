/* a fault in a predicate is false; ERROR sees action 0 */
BEGIN / *(int *)16/ { printf("no\n"); }
BEGIN { exit(0); }
ERROR { printf("%d %d %d %x\n", arg1, arg2, arg4, arg5); }
