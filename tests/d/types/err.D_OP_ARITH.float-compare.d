double x;
BEGIN { trace(x == 0); exit(0); }
