/* allocation as in C: a field does not cross a unit of its type */
struct a { int x : 20; int y : 20; };
struct b { char c; int x : 8; };
struct c { char x : 4; char y : 5; };
struct d { int a : 3; long b : 40; char c; };
struct e { unsigned long a : 64; };
union f { int a : 3; char b; };

BEGIN
{
	printf("%d %d %d %d ", sizeof (struct a), sizeof (struct b),
	    sizeof (struct c), sizeof (struct d));
	printf("%d %d\n", sizeof (struct e), sizeof (union f));
	exit(0);
}
