/* refused by name until it is written */
BEGIN { @ = llquantize(1, 10, 0, 6, 10); exit(0); }
