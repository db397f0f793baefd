BEGIN { printf("%d %d %d %d\n", 1 ^^ 1, 1 ^^ 0, 3 && 0, 0 || 9); exit(0); }
