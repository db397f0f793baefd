BEGIN { $pid++; exit(0); }
