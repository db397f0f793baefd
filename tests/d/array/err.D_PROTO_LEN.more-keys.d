BEGIN { a[1] = 3; trace(a[1, 2]); exit(0); }
