/* a clause that faults after it speculates leaves nothing in the speculation */
ERROR { printf("fault\n"); }
BEGIN { self->s = speculation(); }
BEGIN { speculate(self->s); printf("lost\n"); trace(*(int *)0); }
BEGIN { speculate(self->s); printf("kept\n"); }
BEGIN { commit(self->s); }
BEGIN { exit(0); }
