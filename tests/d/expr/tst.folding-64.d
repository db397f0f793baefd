/* constants are folded in 64 bits, not in their type */
BEGIN
{
	printf("%d\n", (long)((1 << 63) - 1 == 9223372036854775807));
	x = 3000000000 * 3; printf("%d\n", x);
	printf("%d %d\n", -1u, (long)-1u);
	@ = quantize(1, (1 << 63) - 1);
	exit(0);
}
