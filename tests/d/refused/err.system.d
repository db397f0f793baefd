/* refused by name until it is written */
BEGIN { system("true"); exit(0); }
