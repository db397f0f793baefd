/* on either path of an if; what follows goes into the one that was taken */
BEGIN { self->a = speculation(); i = 1; }
BEGIN { if (i) { speculate(self->a); } else { speculate(0); } printf("kept\n"); }
BEGIN { if (!i) { speculate(self->a); } else { speculate(0); } printf("not kept\n"); }
BEGIN { commit(self->a); }
BEGIN { exit(0); }
