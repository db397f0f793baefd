BEGIN { a[1] = 3; trace(a["x"]); exit(0); }
