/* the count of a shift is taken modulo 64 */
BEGIN
{
	l = (long)1; n = 65; k = 64;
	printf("%d %d %d\n", l << n, l << k, l << 63 >> n);
	exit(0);
}
