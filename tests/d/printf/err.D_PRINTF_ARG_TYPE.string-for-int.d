BEGIN { printf("%d\n", "a"); exit(0); }
