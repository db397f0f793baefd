BEGIN { @a = count(1); exit(0); }
