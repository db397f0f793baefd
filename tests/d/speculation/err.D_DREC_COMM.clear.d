BEGIN { self->i = 1; }
BEGIN { @a = count(); commit(1); clear(@a); }
BEGIN { exit(0); }
