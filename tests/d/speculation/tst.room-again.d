/* run: -x specsize=31 */
/* the room is that of one speculation: the next has it again */
BEGIN { self->s = speculation(); }
BEGIN { speculate(self->s); trace(1); }
BEGIN { commit(self->s); self->s = speculation(); }
BEGIN { speculate(self->s); trace(2); }
BEGIN { commit(self->s); }
BEGIN { exit(0); }
