BEGIN { @ = stddev(1); @ = avg(1); exit(0); }
