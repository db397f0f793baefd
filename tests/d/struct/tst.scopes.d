/* members of variables of every scope; a store changes only its own member */
struct pt { char c; int x; short s; };
struct outer { int n[4]; struct pt p; string name; };
struct outer g;
self struct outer t;
this struct outer u;
struct pt arr[string];

BEGIN
{
	i = 1;
	g.n[2] = 7;
	g.p.x = -4;
	g.name = "hello";
	g.n[i]++;
	g.n[i] += 41;
	printf("%d %d %d %s\n", g.n[2], g.n[1], g.p.x, g.name);
	self->t = g;
	self->t.p.s = 12;
	printf("%d %d %s\n", self->t.p.s, self->t.n[1], self->t.name);
	this->u = self->t;
	this->u.n[0] = 99;
	this->u.n[3]--;
	printf("%d %d %d\n", this->u.n[0], this->u.n[1], this->u.n[3]);
	printf("%d %d\n", self->t.n[0], g.p.s);
	arr["a"].x = 3;
	arr["b"].x = 4;
	arr["a"].x <<= 2;
	printf("%d %d %d\n", arr["a"].x, arr["b"].x, arr["c"].x);
}

BEGIN
{
	printf("%d %d\n", this->u.n[0], self->t.n[1]);
	exit(0);
}
