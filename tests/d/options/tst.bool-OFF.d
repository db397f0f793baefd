/* command: -x quiet=OFF -n 'BEGIN { printf("q"); exit(0); }' */
