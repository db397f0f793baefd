/* values are cut on a store and extended on a load; neighbours stay */
struct bits { int a : 3; unsigned b : 5; unsigned long c : 40; int d; };
struct bits b;

BEGIN
{
	b.a = 5;
	b.b = 33;
	b.c = 0xffffffffffff;
	b.d = 8;
	printf("%d %d %x %d\n", b.a, b.b, b.c, b.d);
	b.a++;
	b.b--;
	printf("%d %d %x %d\n", b.a, b.b, b.c, b.d);
	printf("%d %d\n", b.a = 12, b.b);
	b.b |= 8;
	b.c -= 1;
	printf("%d %d %x %d\n", b.a, b.b, b.c, b.d);
	exit(0);
}
