struct in { char c; long l; };
struct s { char a; short b; char c[3]; struct in in; string str; double d; char e; };
union u { int a; long b; };

BEGIN
{
	printf("%d %d %d %d\n", offsetof(struct s, a), offsetof(struct s, b),
	    offsetof(struct s, c), offsetof(struct s, in));
	printf("%d %d %d\n", offsetof(struct s, str), offsetof(struct s, d),
	    offsetof(struct s, e));
	printf("%d %d\n", offsetof(union u, b), sizeof (offsetof(struct in, l)));
	exit(0);
}
