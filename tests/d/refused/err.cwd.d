/* refused by name until it is written */
BEGIN { trace(cwd); exit(0); }
