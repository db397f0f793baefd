/* discard() after and between data; of the clause's own speculation */
BEGIN { self->s = speculation(); }
BEGIN { printf("one\n"); discard(self->s); printf("two\n"); self->s = speculation(); }
BEGIN { speculate(self->s); printf("gone\n"); discard(self->s); }
BEGIN { self->s = speculation(); printf("%d\n", self->s); exit(0); }
