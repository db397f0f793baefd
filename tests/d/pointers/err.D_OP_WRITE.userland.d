BEGIN { *(userland int *)8 = 1; exit(0); }
