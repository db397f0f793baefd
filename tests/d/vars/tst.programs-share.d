/* programs of one command share their variables */
/* command: -q -n 'BEGIN { x = 5; self->y = 6; a[1] = 7; }' -n 'BEGIN { x++; } BEGIN { printf("%d %d %d\n", x, self->y, a[1]); exit(0); }' */
