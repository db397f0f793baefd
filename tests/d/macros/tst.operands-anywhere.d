/* operands may come anywhere on the command line */
/* command: 1 -q 2 -n 'BEGIN { printf("%d %d %d\n", $1, $2, $3); exit(0); }' 3 */
