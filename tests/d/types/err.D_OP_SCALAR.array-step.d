int a[3];
BEGIN { a++; exit(0); }
