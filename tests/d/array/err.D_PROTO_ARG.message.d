BEGIN { a[1, "x"] = 3; trace(a[1, 2]); exit(0); }
