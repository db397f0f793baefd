BEGIN { @a = count(); trace(@a); exit(0); }
