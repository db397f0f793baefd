/* each kind of loss by its number and name */
/* run: -x dynvarsize=32 -x aggsize=48 -x nspec=1 -x specsize=8 -x statusrate=10ms */
BEGIN { a[1] = 1; a[2] = 2; a[3] = 3; }
BEGIN { @[1] = count(); @[2] = count(); @[3] = count(); }
BEGIN { s = speculation(); speculation(); }
BEGIN { speculate(s); printf("%d %d %d", s, s, s); }
BEGIN { trace(*(int *)0); }
ERROR { trace(*(int *)0); }
diag:::lostevent { printf("%d %d %s\n", args[0], args[1], args[2]); }
tick-100ms { trunc(@); exit(0); }
