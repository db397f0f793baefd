/* every use evaluates the expression again */
int n;
inline int next = n++;
BEGIN { printf("%d %d %d\n", next, next, next); printf("%d\n", n); exit(0); }
