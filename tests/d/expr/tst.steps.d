/* ++ and -- before and after, at every scope */
int8_t c;
BEGIN
{
	x = 5; printf("%d ", x++); printf("%d ", ++x); printf("%d ", x--); printf("%d\n", --x);
	self->x = 1; self->x++; ++self->x; printf("%d\n", self->x);
	this->x = 1; this->x--; --this->x; printf("%d\n", this->x);
	a["k"]++; a["k"]++; --a["j"]; printf("%d %d %d\n", a["k"], a["j"], a["k"]++);
	c = 127; c++; printf("%d\n", c);
	exit(0);
}
