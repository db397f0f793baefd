/* the words of a type come in any order */
long unsigned int a;
int long b;
short unsigned c;
char signed d;
unsigned long long int e;
int const f;
BEGIN
{
	a = -1; b = -1; c = -1; d = 200; e = -1;
	printf("%d %d %d %d %d %d\n", a, b, c, d, e, f);
	printf("%d %d %d %d\n", sizeof (a), sizeof (b), sizeof (c), sizeof (d));
	exit(0);
}
