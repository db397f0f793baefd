/* arrays and structs larger than all scratch memory, stored member by member */
struct large {
	int a;
	long b[9000];
};
int m[int][30000];
struct large t[int];
self struct large u;

BEGIN
{
	m[1][29999] = 7;
	t[3].b[8999] = 5;
	t[3].a = 1;
	self->u.b[1] = 4;
	self->u.b[8999] = 2;
	printf("%d %d %d\n", m[1][29999], m[1][0], m[2][29999]);
	printf("%d %d %d\n", t[3].b[8999], t[3].a, t[3].b[0]);
	printf("%d %d %d\n", self->u.b[8999], self->u.b[1], self->u.a);
	exit(0);
}

ERROR { exit(1); }
