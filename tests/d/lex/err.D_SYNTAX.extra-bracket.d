BEGIN { a[1]] = 2; exit(0); }
