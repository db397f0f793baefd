BEGIN { @a = sum(1); @a = max(2); exit(0); }
