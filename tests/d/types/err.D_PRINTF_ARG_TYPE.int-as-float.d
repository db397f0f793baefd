BEGIN { printf("%f", 1); exit(0); }
