BEGIN { @a = sum("x"); exit(0); }
