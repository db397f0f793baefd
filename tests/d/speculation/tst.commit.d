/* what was speculated is printed where it is committed */
BEGIN { self->s = speculation(); printf("got %d\n", self->s); }
BEGIN { speculate(self->s); printf("speculated %d\n", 1); }
BEGIN { printf("between\n"); }
BEGIN { speculate(self->s); printf("speculated %d\n", 2); trace("end\n"); }
BEGIN { printf("before the commit\n"); }
BEGIN { commit(self->s); }
BEGIN { printf("after the commit\n"); exit(0); }
