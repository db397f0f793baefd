/* %d, %i and %u of a 16-bit value */
uint16_t x; int16_t y;
BEGIN
{
	x = 0xffff; y = 0xffff;
	printf("%d %i %u\n", x, x, x);
	printf("%d %i %u\n", y, y, y);
	exit(0);
}
