int a[3];
BEGIN { a[3] = 1; exit(0); }
