BEGIN { x = 1 y = 2; exit(0); }
