extern int f(int);
int g(char *);
BEGIN { g(0); exit(0); }
