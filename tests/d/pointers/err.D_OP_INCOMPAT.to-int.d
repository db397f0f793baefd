int x;
int *p;
BEGIN { x = p; exit(0); }
