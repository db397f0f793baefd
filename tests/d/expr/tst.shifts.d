/* << in 64 bits, >> by the sign of the left operand */
BEGIN
{
	l = (long)1; m = -8; u = (unsigned)-8; n = 3;
	printf("%d %d %d\n", l << 40, l << n, m << n);
	printf("%d %d %d\n", m >> 1, m >> n, m >> 63);
	printf("%d %d\n", u >> 28, u >> n);
	printf("%d %d %d\n", 1L << 40, -8 >> 1, 256 >> 4);
	exit(0);
}
