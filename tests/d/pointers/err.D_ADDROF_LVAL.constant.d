BEGIN { p = &3; exit(0); }
