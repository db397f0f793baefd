BEGIN { @ = lquantize(1, "a", 10); exit(0); }
