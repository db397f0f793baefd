/* command: -q -i '1 { printf("%s %s\n", probeprov, probename); exit(0); }' */
