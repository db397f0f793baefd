/* command: -n 'BEGIN /nosuch/ { exit(0); }' */
