BEGIN { self->i = 1; }
BEGIN { if (self->i) { commit(1); } trace(1); }
BEGIN { exit(0); }
