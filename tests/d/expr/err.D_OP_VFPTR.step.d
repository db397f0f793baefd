BEGIN { p = (void *)8; p++; exit(0); }
