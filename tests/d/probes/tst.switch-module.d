/* command: -q -m 'dtrace: { printf("%s %s\n", probeprov, probename); exit(0); }' */
