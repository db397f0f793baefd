/* the providers that are always there */
#pragma D depends_on provider dtrace
#pragma D depends_on provider profile
#pragma D depends_on provider pid
BEGIN { printf("ok\n"); exit(0); }
