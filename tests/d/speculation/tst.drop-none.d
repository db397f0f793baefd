/* run: -x specsize=0 */
/* no room at all */
BEGIN { self->s = speculation(); }
BEGIN { speculate(self->s); trace(1); }
BEGIN { commit(self->s); }
BEGIN { exit(0); }
