/* refused by name until it is written */
BEGIN { trace(args[0]); exit(0); }
