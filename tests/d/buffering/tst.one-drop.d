/* run: -x bufsize=16 */
/* one: no s */
BEGIN { printf("1\n"); } BEGIN { printf("2\n"); }
tick-1ms { exit(0); }
