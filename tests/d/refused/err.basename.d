/* refused by name until it is written */
BEGIN { s = basename("/a/b"); exit(0); }
