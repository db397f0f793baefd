/* an object of the target is there */
/* run: -c @once@ */
#pragma D depends_on module libc.so.6
BEGIN { printf("ok\n"); exit(0); }
