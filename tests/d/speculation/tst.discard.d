/* what was discarded is never printed */
BEGIN { self->s = speculation(); }
BEGIN { speculate(self->s); printf("speculated\n"); }
BEGIN { discard(self->s); }
BEGIN { printf("done\n"); exit(0); }
