BEGIN { self->i = 1; }
BEGIN { if (self->i) { speculate(1); } else { trace(1); } @ = count(); }
BEGIN { exit(0); }
