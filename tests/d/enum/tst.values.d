/* enumerators are int constants; an enum is an int */
enum e { A, B, C = -5, D, E = 0x7fffffff, };
enum e x;
enum { F = B + 10, G };
enum e by[enum e];

BEGIN
{
	printf("%d %d %d %d %d %d %d\n", A, B, C, D, E, F, G);
	x = D;
	printf("%d %d %d\n", x, x == D, x < A);
	x = 3;
	x++;
	printf("%d %d %d\n", x, sizeof (x), sizeof (enum e));
	by[C] = B;
	printf("%d %d\n", by[C], by[A]);
	printf("%d\n", (enum e)0x1ffffffff);
	trace(B);
	exit(0);
}
