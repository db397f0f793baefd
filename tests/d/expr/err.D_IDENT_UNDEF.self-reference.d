BEGIN { y = y + 1; exit(0); }
