/* a number that was committed or discarded takes nothing more, quietly */
BEGIN { self->s = speculation(); }
BEGIN { speculate(self->s); printf("one\n"); }
BEGIN { commit(self->s); }
BEGIN { speculate(self->s); printf("two\n"); }
BEGIN { commit(self->s); }
BEGIN { self->t = speculation(); printf("again %d\n", self->t); }
BEGIN { commit(self->t); }
BEGIN { exit(0); }
