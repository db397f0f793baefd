int x;
BEGIN { trace(x.a); exit(0); }
