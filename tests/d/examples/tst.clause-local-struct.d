/* SPDX-License-Identifier: MIT */
struct p { int a; long b; };
this struct p v;
BEGIN
{
	this->v.a = 3;
	this->v.b = 4;
	this->q = (int *)alloca(sizeof (int));
	*this->q = 77;
	printf("%d %d\n", this->v.a + this->v.b, *this->q);
	exit(0);
}
