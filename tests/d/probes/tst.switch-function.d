/* command: -q -f 'dtrace:: { printf("%s %s\n", probeprov, probename); exit(0); }' */
