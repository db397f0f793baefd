inline int x[int] = 1;
BEGIN { exit(0); }
