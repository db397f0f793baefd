BEGIN { self->i = 1; }
BEGIN { commit(1); if (self->i) { commit(1); } }
BEGIN { exit(0); }
