/* commit() in the clause that speculates */
BEGIN { self->s = speculation(); }
BEGIN { speculate(self->s); commit(self->s); }
BEGIN { self->s = speculation(); printf("%d\n", self->s); exit(0); }
