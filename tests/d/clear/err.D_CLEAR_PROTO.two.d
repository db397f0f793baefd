BEGIN { @a = count(); clear(@a, 1); exit(0); }
