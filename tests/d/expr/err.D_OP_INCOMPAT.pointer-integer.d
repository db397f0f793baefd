BEGIN { p = (int *)8; x = 5; p = x; exit(0); }
