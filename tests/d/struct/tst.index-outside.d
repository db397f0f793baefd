/* an index outside an array: what it would read or change is refused */
struct s { int v[2]; int after; };
struct s g;
struct s by[int];
int i;

BEGIN
{
	g.after = 9;
	i = 2;
	printf("%d\n", g.v[i - 1]);
	i = 1000;
}

BEGIN
{
	g.v[i] = 1;
}

BEGIN
{
	trace(g.v[i]);
}

BEGIN
{
	by[1].v[-i] = 3;
}

BEGIN
{
	trace(by[1].v[i]);
}

BEGIN
{
	printf("%d %d\n", g.after, by[1].after);
	exit(0);
}

ERROR
{
	printf("fault %d\n", arg4);
}
