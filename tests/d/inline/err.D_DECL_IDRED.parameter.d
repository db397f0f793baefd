inline int x[int a, int a] = a;
BEGIN { exit(0); }
