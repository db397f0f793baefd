BEGIN { self->i = 1; }
BEGIN { discard("a"); }
BEGIN { exit(0); }
