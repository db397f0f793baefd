BEGIN { printf("%d %d\n", -1 < 1u, -1 < 1); exit(0); }
