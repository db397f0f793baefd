/* refused by name until it is written */
BEGIN { speculate(1); }
