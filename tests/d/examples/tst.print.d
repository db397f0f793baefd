/* SPDX-License-Identifier: MIT */
struct s { int a; char *p; char c[4]; };
BEGIN
{
	this->s = (struct s *)alloca(sizeof (struct s));
	this->s->a = 10;
	this->s->p = (char *)0x1000;
	this->s->c[0] = 'o';
	this->s->c[1] = 'k';
	this->s->c[2] = '\0';
	print(5);
	print("x");
	print(*this->s);
	exit(0);
}
