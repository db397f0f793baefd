/* a fault in ERROR does not recurse and is counted */
BEGIN { x = *(int *)0; }
BEGIN { exit(0); }
ERROR { printf("lost\n"); x = *(int *)4; }
ERROR { printf("second\n"); }
