/* -e compiles and enables nothing */
/* command: -e -n 'BEGIN { printf("no\n"); exit(3); }' */
