/* run: -x specsize=31 */
/* the second record has no room in the speculation */
BEGIN { self->s = speculation(); }
BEGIN { speculate(self->s); trace(1); }
BEGIN { speculate(self->s); trace(2); }
BEGIN { speculate(self->s); trace(3); }
BEGIN { commit(self->s); }
BEGIN { exit(0); }
