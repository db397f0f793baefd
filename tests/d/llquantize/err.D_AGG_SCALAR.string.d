BEGIN { @ = llquantize("a", 10, 0, 6, 10); exit(0); }
