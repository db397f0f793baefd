BEGIN { self->i = 1; }
BEGIN { commit(1, 2); }
BEGIN { exit(0); }
