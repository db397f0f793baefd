/* refused by name until it is written */
BEGIN { usym(1); exit(0); }
