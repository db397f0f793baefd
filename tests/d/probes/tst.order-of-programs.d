/* programs run in the order of the command line */
/* command: -q -s @dir@/order.d.inc -n 'BEGIN { printf("2\n"); }' -P 'dtrace /id == 1/ { printf("3\n"); exit(0); }' */
