/* command: -x quiet= -n 'BEGIN { printf("q"); exit(0); }' */
