BEGIN { clear(1); exit(0); }
