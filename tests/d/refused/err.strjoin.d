/* refused by name until it is written */
BEGIN { s = strjoin("a", "b"); exit(0); }
