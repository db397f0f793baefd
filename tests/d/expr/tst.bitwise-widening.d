/* & | ^ of narrow types are cut to their type before they are widened */
char c;
uint8_t u, v;
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
	printf("%d %d\n", (long)(s | w), (long)(s ^ w));
	printf("%d %d\n", (long)((u + v) & (u + v)), (long)((u + v) | 1));
	printf("%d %d\n", (long)((u + v) | v), (long)(c & v));
	exit(0);
}
