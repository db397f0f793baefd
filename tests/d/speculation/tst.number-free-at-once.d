/* the only number, used again and again */
BEGIN { self->s = speculation(); }
BEGIN { speculate(self->s); printf("a\n"); }
BEGIN { commit(self->s); self->s = speculation(); }
BEGIN { speculate(self->s); printf("b\n"); }
BEGIN { discard(self->s); self->s = speculation(); }
BEGIN { speculate(self->s); printf("c\n"); }
BEGIN { commit(self->s); self->s = speculation(); }
BEGIN { printf("%d\n", self->s); exit(0); }
