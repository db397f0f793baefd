ERROR { printf("in ERROR\n"); trace(*(int *)8); }
BEGIN { trace(*(int *)0); }
BEGIN { exit(0); }
