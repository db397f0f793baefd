/* command: -x quiet=unset -n 'BEGIN { printf("q"); exit(0); }' */
