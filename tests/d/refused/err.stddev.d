/* refused by name until it is written */
BEGIN { @ = stddev(1); exit(0); }
