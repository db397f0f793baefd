int *p;
char *q;
BEGIN { p = q; exit(0); }
