BEGIN { x = 1; @ = lquantize(1, 0, 10, x); exit(0); }
