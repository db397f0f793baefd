/* comments and continued lines of the preprocessor */
/* run: -C */
#define LONG 1 + \
	2 /* a comment
	of two lines */
BEGIN { printf("%d\n", LONG); exit(0); }
