/* command: -q -P 'dtrace { printf("%s %s\n", probeprov, probename); exit(0); }' */
