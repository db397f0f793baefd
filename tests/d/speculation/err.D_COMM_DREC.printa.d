BEGIN { self->i = 1; }
BEGIN { @a = count(); printa(@a); commit(1); }
BEGIN { exit(0); }
