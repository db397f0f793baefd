/* what was never assigned reads as zero */
struct s { int a; string name; struct s *next; };
struct s g;
self struct s t;
this struct s u;
struct s by[int];

BEGIN
{
	printf("%d [%s] %d\n", g.a, g.name, g.next == NULL);
	printf("%d [%s] %d\n", self->t.a, self->t.name, self->t.next == NULL);
	printf("%d [%s] %d\n", this->u.a, this->u.name, this->u.next == NULL);
	printf("%d [%s] %d\n", by[1].a, by[1].name, by[1].next == NULL);
	exit(0);
}
