/* the trees on standard error: 1 as parsed, 2 as checked, 4 the code */
/* run: -x tree=3 */
BEGIN { printf("%d\n", 1 + 2); exit(0); }
