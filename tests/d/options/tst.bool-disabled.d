/* command: -x quiet=disabled -n 'BEGIN { printf("q"); exit(0); }' */
