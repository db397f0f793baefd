BEGIN { printf(5); exit(0); }
