/* an argument may be a complete program */
/* command: -n 'int x; BEGIN { x = 3; } BEGIN { printf("%d", x); exit(0); }' */
