BEGIN { @ = stddev("a"); exit(0); }
