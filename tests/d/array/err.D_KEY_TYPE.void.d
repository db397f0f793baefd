BEGIN { a[(void)0] = 1; exit(0); }
