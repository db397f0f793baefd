/* the providers that are always there */
#pragma D depends_on provider dtrace
#pragma D depends_on provider profile
#pragma D depends_on provider pid
#pragma D depends_on provider proc
#pragma D depends_on provider syscall
BEGIN { printf("ok\n"); exit(0); }
