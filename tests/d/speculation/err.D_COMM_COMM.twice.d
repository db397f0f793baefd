BEGIN { self->i = 1; }
BEGIN { commit(1); commit(1); }
BEGIN { exit(0); }
