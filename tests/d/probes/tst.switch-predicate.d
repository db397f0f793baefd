/* predicate and action in the argument */
/* command: -q -n 'BEGIN /1 == 2/ { printf("no\n"); }' -n 'BEGIN /1 == 1/ { printf("yes\n"); exit(0); }' */
