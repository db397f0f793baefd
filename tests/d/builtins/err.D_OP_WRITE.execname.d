BEGIN { execname = "x"; exit(0); }
