BEGIN { *(int (*)[3])64 = 5; exit(0); }
