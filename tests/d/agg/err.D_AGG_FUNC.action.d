BEGIN { @a = trace(1); exit(0); }
