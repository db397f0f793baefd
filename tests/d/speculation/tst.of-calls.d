/* a speculation for each call; one in a hundred is committed at the next */
/* run: -x statusrate=10s -o @tmp@/out -c @plain@ */
BEGIN { self->s = 0; self->n = 0; }
pid$target:a.out:beta:entry /self->s && self->n % 100 == 0/ { commit(self->s); self->s = 0; }
pid$target:a.out:beta:entry /self->s/ { discard(self->s); self->s = 0; }
pid$target:a.out:beta:entry { self->n = arg0; self->s = speculation(); }
pid$target:a.out:alpha:entry /self->s/ { speculate(self->s); printf("alpha(%d) of beta(%d)\n", arg0, self->n); }
