BEGIN { printf("x", 1); exit(0); }
