/* all six, both signs, at run time and folded */
BEGIN
{
	a = -1; b = 1; u = 1u; w = (uint64_t)-1;
	printf("%d%d%d%d%d%d\n", a < b, a <= b, a > b, a >= b, a == b, a != b);
	printf("%d%d%d%d%d%d\n", b < b, b <= b, b > b, b >= b, b == b, b != b);
	printf("%d%d%d%d\n", a < u, a > u, w > b, w < b);
	printf("%d%d%d%d%d%d\n", -1 < 1, -1 <= 1, -1 > 1, -1 >= 1, -1 == 1, -1 != 1);
	printf("%d%d%d\n", -1 < 1u, -1 > 1u, -1L < 1u);
	printf("%d\n", sizeof (w < b));
	exit(0);
}
