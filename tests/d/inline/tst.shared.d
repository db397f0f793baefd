/* shared by all programs of a command */
/* command: -q -n 'inline int x = 3;' -x empty -n 'BEGIN { printf("%d\n", x); exit(0); }' */
