/* a fault in a clause of diag */
/* run: -c @once@ */
fpid$target:a.out:f:entry { }
diag:::fpid { trace(*(int *)0); }
ERROR { printf("%d of %d\n", arg4, arg1); }
