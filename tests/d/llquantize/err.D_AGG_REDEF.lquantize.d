BEGIN { @ = llquantize(1, 10, 0, 6, 10); @ = lquantize(1, 0, 10); exit(0); }
