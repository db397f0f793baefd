/* an element of an array after an inline */
int a[int];
inline int slot[int i] = a[i];
BEGIN { slot[3] = 9; slot[3]++; printf("%d %d\n", a[3], slot[4]); exit(0); }
