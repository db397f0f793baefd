/* names of the language itself, scoped */
typedef int mine;
struct s { int a; };
D`mine x;
struct D`s y;

BEGIN
{
	x = 3;
	y.a = (D`mine)4;
	printf("%d %d %d\n", x, y.a, sizeof (struct D`s));
	exit(0);
}
