/* the fault is in the statement with the number */
BEGIN { x = 1; y = 2; trace(x); z = *(int *)12; }
BEGIN { exit(0); }
ERROR { printf("%d\n", arg2); }
