BEGIN { clear(); exit(0); }
