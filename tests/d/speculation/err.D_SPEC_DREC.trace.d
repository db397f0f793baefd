BEGIN { self->i = 1; }
BEGIN { trace(1); speculate(1); }
BEGIN { exit(0); }
