/* every assignment operator on a member, a bit-field and an element */
struct s { short a; unsigned f : 12; };
struct s s;
self struct s t[int];
this long v[3];

BEGIN
{
	s.a = 100; s.a += 5; s.a -= 1; s.a *= 3; s.a /= 2; s.a %= 100;
	printf("%d ", s.a);
	s.a <<= 3; s.a >>= 1; s.a |= 3; s.a &= 0xfe; s.a ^= 0x1ff;
	printf("%d\n", s.a);
	s.f = 100; s.f += 5; s.f -= 1; s.f *= 3; s.f /= 2; s.f %= 100;
	printf("%d ", s.f);
	s.f <<= 3; s.f >>= 1; s.f |= 3; s.f &= 0xfe; s.f ^= 0x1ff;
	printf("%d\n", s.f);
	printf("%d %d ", t = s.f++, s.f);
	printf("%d %d\n", --s.f, s.f);
	self->t[1].a--;
	printf("%d %d\n", self->t[1].a++, ++self->t[1].a);
	this->v[1] = 7;
	printf("%d %d %d\n", this->v[1]--, --this->v[1], this->v[2]);
	s.a = 32767;
	printf("%d\n", ++s.a);
	exit(0);
}
