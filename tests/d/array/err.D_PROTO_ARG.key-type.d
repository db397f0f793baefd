BEGIN { a["x"] = 3; trace(a[1]); exit(0); }
