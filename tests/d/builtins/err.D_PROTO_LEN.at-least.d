BEGIN { @a = lquantize(1, 2); exit(0); }
