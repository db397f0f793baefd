BEGIN { @a = count(); trace((@a, 1)); exit(0); }
