/* command: -x quiet=enable -n 'BEGIN { printf("q\n"); exit(0); }' */
