/* ERROR runs at once, before the next clause */
BEGIN { x = *(int *)0; }
BEGIN { printf("after\n"); exit(0); }
ERROR { printf("error\n"); }
