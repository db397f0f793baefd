/* command: -x quiet=yes -n 'BEGIN { printf("q\n"); exit(0); }' */
