/* run: -x strsize=8 */
/* a sum of strsize characters has no room for its end */
ERROR { printf("fault %d\n", arg4); exit(0); }
BEGIN { this->s = strjoin("abcd", "efgh"); printf("not reached\n"); }
