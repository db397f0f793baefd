/* -w is said */
/* command: -w -n 'BEGIN { exit(0); }' */
