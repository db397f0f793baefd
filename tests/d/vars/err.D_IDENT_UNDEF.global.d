BEGIN { x = y; exit(0); }
