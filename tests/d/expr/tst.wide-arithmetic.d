/* results have 64 bits; stores, casts, keys and records cut them to their types */
int64_t w;
uint64_t uw;
int i;
unsigned u;
char c;

BEGIN
{
	s = 33; k = 35;
	w = 1 << s; printf("%d\n", w);
	i = 1 << 30; w = i + i + i; printf("%d\n", w);
	uw = i + i; printf("%d\n", uw);
	w = i * 4; printf("%d\n", w);
	w = -(1 << k); printf("%d\n", w);
	w = s > 0 ? i * 8 : 0; printf("%d\n", w);
	w = (s, i * 8); printf("%d\n", w);
	printf("%d %d %d\n", i + i, (int64_t)(i + i), (int)(i * 4));
	printf("%d %d\n", i * 4 > 0, !(i * 4));
	i = 1 << k; printf("%d\n", i);
	u = -1; printf("%d %d\n", u, u + 1);
	w = c = 300; printf("%d\n", w);
	printf("%d\n", strlen(substr("abcdef", i + (1 << s) + 2)));
	@key[(1 << s) + 7] = count();
	@sum = sum((1 << s) + 7);
	@q = quantize(1, (1 << 40) - 1);
	@qv = quantize(1, 1 << s);
	printa("key %d %@d\n", @key);
	printa("sum %@d\n", @sum);
	exit(0);
}
