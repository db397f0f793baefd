/* members of one variable, stored in different clauses and firings */
struct s { int a[8]; string s; };
struct s g;
self struct s t;
int n;

tick-1ms
/n < 8/
{
	g.a[n] = n * n;
	self->t.a[7 - n] = n;
	n++;
}

tick-1ms
/n == 8/
{
	printf("%d %d %d\n", g.a[0], g.a[3], g.a[7]);
	printf("%d %d %d\n", self->t.a[0], self->t.a[3], self->t.a[7]);
	exit(0);
}
