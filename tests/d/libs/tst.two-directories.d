/* the first file of a name counts */
/* run: -L @dir@/one -L @dir@/two */
BEGIN { printf("%d %d\n", WHICH, ONLY); exit(0); }
