double x;
int y;
BEGIN { y = x; exit(0); }
