/* errors of the command line name the part */
/* command: -n 'BEGIN { x; }' */
