/* command: -x quiet=ON -n 'BEGIN { printf("q\n"); exit(0); }' */
