/* refused */
BEGIN { @ = llquantize(1, 10, pid, 6, 10); exit(0); }
