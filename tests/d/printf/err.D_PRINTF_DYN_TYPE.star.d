BEGIN { printf("%*d\n", "a", 1); exit(0); }
