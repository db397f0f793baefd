double x;
BEGIN { a[x] = 1; exit(0); }
