int *p;
BEGIN { trace(p + p); exit(0); }
