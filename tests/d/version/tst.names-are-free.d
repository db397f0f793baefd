/* names that came later may be variables */
/* run: -x version=1.0 */
BEGIN { strtok = 1; print = 2; json = 3; printf("%d\n", strtok + print + json); exit(0); }
