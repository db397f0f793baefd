int *p;
char *q;
BEGIN { trace(p - q); exit(0); }
