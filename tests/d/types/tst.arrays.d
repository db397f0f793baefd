/* arrays as variables of every scope */
int g[3];
self long t[2];
this char u[4];
short m[2][3];
string s[2];
int *p[2];

BEGIN
{
	i = 2;
	g[0] = 1; g[i] = 3; g[i - 1] = g[0] + g[2];
	printf("%d %d %d\n", g[0], g[1], g[2]);
	self->t[1] = 1 << 40; self->t[0]--;
	printf("%d %d\n", self->t[0], self->t[1]);
	this->u[0] = 300; this->u[3] = -1;
	printf("%d %d %d\n", this->u[0], this->u[1], this->u[3]);
	m[1][i] = 7; m[i - 2][0] = 8;
	printf("%d %d %d\n", m[1][2], m[0][0], m[0][2]);
	s[1] = "one"; s[0] = s[1];
	printf("%s %s %d\n", s[0], s[1], s[0] == "one");
	printf("%d %d\n", p[1] == NULL, *g);
	exit(0);
}
