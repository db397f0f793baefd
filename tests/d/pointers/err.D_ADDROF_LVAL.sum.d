int x;
BEGIN { p = &(x + 1); exit(0); }
