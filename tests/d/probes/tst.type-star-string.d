/* on the command line it is a specifier always */
/* command: -q -Z -n 'int*x {} BEGIN { printf("ok\n"); exit(0); }' */
