BEGIN { self->i = 1; }
BEGIN { commit(1); speculate(1); }
BEGIN { exit(0); }
