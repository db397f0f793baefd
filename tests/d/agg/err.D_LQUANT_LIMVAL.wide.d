BEGIN { @ = lquantize(1, 0, 2147483648); exit(0); }
