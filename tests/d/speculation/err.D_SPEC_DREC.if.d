BEGIN { self->i = 1; }
BEGIN { if (self->i) { trace(1); } speculate(1); }
BEGIN { exit(0); }
