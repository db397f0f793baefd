/* floats are declared, copied and recorded */
struct s { float f; double d; long double l; };
struct s a, b;
double x, y;
self float f;
this long double l;

BEGIN
{
	x = y;
	a.d = x;
	b = a;
	self->f = b.f;
	this->l = a.l;
	printf("%f %e %g %.2f\n", x, b.d, self->f, self->f);
	printf("%Lf %lf %d\n", this->l, a.d, sizeof (struct s));
	exit(0);
}
