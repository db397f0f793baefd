BEGIN { a[1] = 2; trace(a); exit(0); }
