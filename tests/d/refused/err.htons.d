/* refused by name until it is written */
BEGIN { x = htons(1); exit(0); }
