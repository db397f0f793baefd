/* neither committed nor discarded: not printed at the end */
BEGIN { self->s = speculation(); }
BEGIN { speculate(self->s); printf("speculated\n"); }
BEGIN { exit(0); }
