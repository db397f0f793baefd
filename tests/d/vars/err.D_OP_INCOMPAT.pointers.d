BEGIN { p = (int *)8; p = (char *)8; exit(0); }
