void *p;
BEGIN { trace(p + 1); exit(0); }
