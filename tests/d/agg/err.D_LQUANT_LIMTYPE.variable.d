BEGIN { x = 1; @ = lquantize(1, 0, x); exit(0); }
