BEGIN { p = (void *)8; p += 2; exit(0); }
