/* refused by name until it is written */
BEGIN { s = json("{}", "a"); exit(0); }
