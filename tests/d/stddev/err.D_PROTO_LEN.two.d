BEGIN { @ = stddev(1, 2); exit(0); }
