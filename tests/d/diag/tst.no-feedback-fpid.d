/* what a clause of diag loses in the thread is no event either; what fpid's loses is */
/* run: -x dynvarsize=128 -x statusrate=10ms -c @tail@ */
fpid$target:a.out:maybe:entry { }
fpid$target:a.out:chain:entry /i++ == 5/ { b[i] = 1; b[i + 1] = 1; b[i + 2] = 1; b[i + 3] = 1; }
diag:::fpid { a[n++] = 1; }
diag:::lostevent { m += args[0]; }
END { printf("%d %d\n", n, m > 0 && m < 10); }
