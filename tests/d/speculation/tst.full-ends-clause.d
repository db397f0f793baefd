/* run: -x specsize=8 */
int n; /* before its use */
/* no room even for a header: a drop, and the end of the clause */
BEGIN { self->s = speculation(); }
BEGIN { speculate(self->s); n = 1; trace(1); }
BEGIN { printf("%d\n", n); }
BEGIN { commit(self->s); }
BEGIN { exit(0); }
