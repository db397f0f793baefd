/* run: -b 512 -x strsize=1024 */
/* a record larger than the buffer is a drop, and the end of its clause */
int n;
BEGIN { n = 1; trace("x"); n = 2; }
BEGIN { printf("%d\n", n); }
tick-1ms { exit(0); }
