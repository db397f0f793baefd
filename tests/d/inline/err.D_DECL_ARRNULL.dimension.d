inline int x[5] = 1;
BEGIN { exit(0); }
