BEGIN { printf("%1$d\n", 1); exit(0); }
