/* function pointers and prototypes parse */
int (*fp)(int, char *);
BEGIN { printf("%d %p\n", sizeof (fp), fp); exit(0); }
