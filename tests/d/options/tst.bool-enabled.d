/* command: -x quiet=enabled -n 'BEGIN { printf("q\n"); exit(0); }' */
