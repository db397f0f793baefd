/* a store keeps the low bits, by the declared sign */
int8_t a; uint8_t b; int16_t c; uint16_t d; int32_t e; uint32_t f;
BEGIN
{
	a = b = c = d = e = f = 0;
	n = 0x1234567890;
	a = n; b = n; c = n; d = n; e = n; f = n;
	printf("%d %d %d %d %d %d\n", a, b, c, d, e, f);
	n = -2;
	a = n; b = n; c = n; d = n; e = n; f = n;
	printf("%d %d %d %d %d %d\n", a, b, c, d, e, f);
	exit(0);
}
