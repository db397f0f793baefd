double x;
BEGIN { trace(x << 2); exit(0); }
