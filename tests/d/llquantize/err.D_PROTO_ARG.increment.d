BEGIN { @ = llquantize(1, 10, 0, 6, 10, "a"); exit(0); }
