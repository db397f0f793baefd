inline int x[int a] = a;
BEGIN { trace(x); exit(0); }
