struct w { unsigned long a : 64; long b : 63; unsigned char c : 1; };
struct w w;

BEGIN
{
	w.a = -1;
	w.b = -2;
	w.c = 3;
	printf("%x %d %d\n", w.a, w.b, w.c);
	w.b = 0x4000000000000000;
	printf("%d %d\n", w.b, w.c++);
	printf("%d\n", w.c);
	exit(0);
}
