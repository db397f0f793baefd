/* with nothing to do, and with a predicate that is false, there are events */
/* run: -c @once@ */
fpid$target:a.out:f:entry { }
fpid$target:a.out:f:return /0/ { n++; }
diag:::fpid { printf("%d\n", args[0]); }
