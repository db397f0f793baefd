inline int x[int a] = a;
BEGIN { trace(x["a"]); exit(0); }
