/* command: -x quiet=True -n 'BEGIN { printf("q\n"); exit(0); }' */
