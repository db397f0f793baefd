BEGIN { self->i = 1; }
BEGIN { speculate(); }
BEGIN { exit(0); }
