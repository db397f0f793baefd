/* refused by name until it is written */
BEGIN { print(1); exit(0); }
