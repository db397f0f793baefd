/* a storage class without a type declares an int, whatever types the names may be of */
self n;
self counts[string];
this n, *p;
self time_t;
this u32;
typedef number;
extern nothing;

BEGIN
{
	printf("%d %d %d\n", self->n, this->n, sizeof (self->n));
	self->n = -1;
	this->n = 5000000000;
	self->counts["a"] = 3;
	self->time_t = 4;
	this->u32 = 5;
	this->p = (number *)alloca(4);
	*this->p = 6;
	printf("%d %d %d %d %d %d\n", self->n, this->n, self->counts["a"],
	    self->time_t, this->u32, *this->p);
	exit(0);
}
