/* refused by name until it is written */
BEGIN { x = speculation(); exit(0); }
