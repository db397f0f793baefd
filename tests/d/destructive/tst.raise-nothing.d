/* signal 0 does nothing, a number that is no signal is a fault */
/* run: -w -c @once@ */
pid$target:a.out:f:entry { raise(0); printf("0\n"); }
pid$target:a.out:f:entry { raise(65); printf("no\n"); }
dtrace:::ERROR { printf("%d\n", arg4); }
