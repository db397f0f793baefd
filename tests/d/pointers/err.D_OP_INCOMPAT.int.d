int *p;
BEGIN { p = 8; exit(0); }
