BEGIN { @ = stddev(); exit(0); }
