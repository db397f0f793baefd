/* refused by name until it is written */
BEGIN { s = substr("abc", 1); exit(0); }
