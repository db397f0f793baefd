/* the scopes D and C need no process */
struct pair { int a; short b; };
typedef struct pair pair_t;
const D`long *p;
C`int n;
struct D`pair q;

BEGIN
{
	trace((D`short *)4);
	printf("\n%d %d %d\n", sizeof (D`int), sizeof (C`char), sizeof (n));
	printf("%d %d %d\n", sizeof (D`pair_t), sizeof (struct D`pair), sizeof (p));
	printf("%d %d\n", (D`int8_t)255, (C`short)65535);
	q.b = 3;
	printf("%d\n", q.b);
	exit(0);
}
