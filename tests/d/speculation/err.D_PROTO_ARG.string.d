BEGIN { self->i = 1; }
BEGIN { speculate("a"); }
BEGIN { exit(0); }
