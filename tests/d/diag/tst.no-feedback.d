/* what the clause itself loses is printed, but is no event */
/* run: -x dynvarsize=32 -x statusrate=10ms */
BEGIN { a[1] = 1; a[2] = 2; a[3] = 3; a[4] = 4; }
diag:::lostevent { n++; a[n + 10] = 1; printf("%d\n", args[0]); }
tick-50ms /i++ == 5/ { exit(0); }
END { printf("%d\n", n); }
