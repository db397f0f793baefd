/* command: -x quiet=no -n 'BEGIN { printf("q"); exit(0); }' */
