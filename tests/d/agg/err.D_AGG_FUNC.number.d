BEGIN { @a = 5; exit(0); }
