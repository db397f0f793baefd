/* a parameter hides a variable of its name; an argument may use that variable */
int a, b;
inline int minus[int a, int b] = a - b;
BEGIN { a = 10; b = 3; printf("%d %d\n", minus[b, a], minus[a - b, 1]); exit(0); }
