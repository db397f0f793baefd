/* an identical declaration may occur twice */
int x;
int x;
self string s;
self string s;
BEGIN { x = 5; }
int x;
BEGIN { printf("%d\n", x); exit(0); }
