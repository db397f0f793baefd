inline int x[int a] = a;
BEGIN { trace(x[1, 2]); exit(0); }
