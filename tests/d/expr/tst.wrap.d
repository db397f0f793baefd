/* 64-bit arithmetic wraps */
BEGIN
{
	big = 0x7fffffffffffffff; one = (long)1;
	printf("%d %d\n", (int64_t)(big + one), (int64_t)(big * 2));
	printf("%d\n", (int64_t)(-big - one - one));
	exit(0);
}
