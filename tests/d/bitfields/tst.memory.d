/* where the bits are: seen through a union */
struct bits { unsigned a : 4; unsigned b : 4; int c : 8; unsigned d : 16; };
union both { struct bits bits; unsigned all; unsigned char byte[4]; };
union both u;
this union both w;
self union both s;

BEGIN
{
	u.bits.a = 1;
	u.bits.b = 2;
	u.bits.c = -1;
	u.bits.d = 0x1234;
	printf("%x %x %x\n", u.all, u.byte[0], u.byte[3]);
	this->w.all = 0xffffffff;
	this->w.bits.b = 0;
	printf("%x %d\n", this->w.all, this->w.bits.c);
	self->s.byte[1] = 0x7f;
	self->s.bits.c++;
	printf("%x %d %d\n", self->s.all, self->s.bits.c, self->s.bits.c - 1);
	exit(0);
}
