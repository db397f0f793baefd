BEGIN { @ = llquantize(1, 10, 0, 6, tid); exit(0); }
