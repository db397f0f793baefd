BEGIN { self->i = 1; }
BEGIN { speculate(1); speculate(1); }
BEGIN { exit(0); }
