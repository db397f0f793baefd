struct s { int a; };
struct s g, h;

BEGIN
{
	g.a = 1;
	h.a = 2;
	x = 1;
	printf("%d %d\n", (x ? g : h).a, (x - 1 ? g : h).a);
	printf("%d\n", (1, h).a);
	exit(0);
}
