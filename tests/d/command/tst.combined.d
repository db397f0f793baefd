/* combined switches */
/* command: -qn 'BEGIN { printf("hi\n"); exit(0); }' */
