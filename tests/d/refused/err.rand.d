/* refused by name until it is written */
BEGIN { x = rand(); exit(0); }
