/* command: -q -n 'BEGIN { printf("%s %s\n", probeprov, probename); exit(0); }' */
