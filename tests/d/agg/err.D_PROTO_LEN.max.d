BEGIN { @a = max(1, 2); exit(0); }
