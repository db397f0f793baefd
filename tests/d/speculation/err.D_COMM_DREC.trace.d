BEGIN { self->i = 1; }
BEGIN { trace(1); commit(1); }
BEGIN { exit(0); }
