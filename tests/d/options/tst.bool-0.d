/* command: -x quiet=0 -n 'BEGIN { printf("q"); exit(0); }' */
