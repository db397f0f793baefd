/* refused by name until it is written */
BEGIN { p = alloca(8); exit(0); }
