BEGIN { @ = llquantize(1, 10, "a", 6, 10); exit(0); }
