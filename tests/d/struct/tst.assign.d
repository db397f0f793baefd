/* an assignment copies the content, between variables of every scope */
struct s { int a; long b; };
struct s g, h;
self struct s t;
this struct s u, w;
struct s by[int, string];
self struct s mine[int];

BEGIN
{
	g.a = 1;
	g.b = 2;
	h = g;
	g.a = 10;
	printf("%d %d\n", h.a, h.b);
	self->t = h;
	h.b = 20;
	printf("%d %d\n", self->t.a, self->t.b);
	this->u = self->t;
	this->w = this->u;
	this->u.a = 5;
	printf("%d %d\n", this->w.a, this->u.a);
	by[1, "x"] = this->u;
	this->u.a = 6;
	by[2, "x"] = by[1, "x"];
	by[1, "x"].b = 9;
	printf("%d %d %d\n", by[1, "x"].a, by[1, "x"].b, by[2, "x"].b);
	self->mine[3] = by[1, "x"];
	printf("%d %d\n", self->mine[3].b, self->mine[4].b);
	made = g;
	this->made = (this->w = g).b;
	printf("%d %d %d\n", made.a, this->made, this->w.a);
	exit(0);
}
