/* & | ^ of narrow types keep all bits of their operands until they are stored */
char c;
uint8_t u, v, r;
short s;
uint32_t w;

BEGIN
{
	c = -3;
	u = 200;
	v = 100;
	s = -2;
	w = 1;
	printf("%d %d\n", (long)(c | v), (long)(c ^ v));
	printf("%d %d\n", (long)(s | w), (uint32_t)(s ^ w));
	printf("%d %d\n", (long)((u + v) & (u + v)), (uint8_t)((u + v) | 1));
	printf("%d %d\n", (u + v) | v, (long)(c & v));
	r = c | v;
	printf("%d\n", r);
	exit(0);
}
