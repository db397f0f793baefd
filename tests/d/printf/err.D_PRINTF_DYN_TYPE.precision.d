BEGIN { printf("%.*s\n", "a", "b"); exit(0); }
