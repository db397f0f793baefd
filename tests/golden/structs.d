enum color { RED, GREEN = 5 };
struct in { short v[3]; string name; };
struct s { int a : 3; unsigned b : 5; struct in in[2]; struct s *next; enum color c; };
struct s g;
self struct s t[int];
this struct in u;
int v[4], i;
typedef union { int i; char c[4]; } u_t;
u_t w;

BEGIN
/g.a < 3/
{
	g.b = 7;
	g.in[1].v[i] += 2;
	g.in[v[2]].name = "x";
	self->t[1].c = GREEN;
	this->u = self->t[1].in[0];
	this->u.v[2]++;
	trace(this->u.name);
	v[i] = sizeof (struct s) + offsetof(struct s, next);
	trace(w.c[3] == g.next->b);
	trace((userland struct s *)arg0);
	trace(((userland struct s *)arg0)->in[i].name);
	trace(&((struct s *)arg0)->in[1]);
	g = *g.next;
}
