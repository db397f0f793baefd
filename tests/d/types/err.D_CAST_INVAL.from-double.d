double x;
BEGIN { trace((int)x); exit(0); }
