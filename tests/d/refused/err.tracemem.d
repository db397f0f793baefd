/* refused by name until it is written */
BEGIN { tracemem(1, 2); exit(0); }
