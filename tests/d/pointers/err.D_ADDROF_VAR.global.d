int x;
BEGIN { p = &x; exit(0); }
