/* inside a format: exactly the block */
BEGIN { @ = llquantize(7, 10, 0, 1, 10); printa("[%@d]\n", @); exit(0); }
