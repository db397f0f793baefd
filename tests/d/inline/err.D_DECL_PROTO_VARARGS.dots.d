inline int x[int a, ...] = 1;
BEGIN { exit(0); }
