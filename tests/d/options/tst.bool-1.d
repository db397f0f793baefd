/* command: -x quiet=1 -n 'BEGIN { printf("q\n"); exit(0); }' */
