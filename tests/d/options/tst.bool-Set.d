/* command: -x quiet=Set -n 'BEGIN { printf("q\n"); exit(0); }' */
