BEGIN { x = *(int *)0; }
ERROR { exit(9); }
