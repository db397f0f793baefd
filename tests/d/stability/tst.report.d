/* command: -q -v -n 'BEGIN { exit(0); }' */
