/* command: -x quiet=False -n 'BEGIN { printf("q"); exit(0); }' */
