/* the system's directory can be another, and need not be there */
/* run: -x syslibdir=@dir@/one -x libdir=@dir@/two */
BEGIN { printf("%d %d\n", WHICH, ONLY); exit(0); }
