BEGIN { self->i = 1; }
BEGIN { commit(1); printf("a"); }
BEGIN { exit(0); }
