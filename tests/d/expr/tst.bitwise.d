/* & | ^ ~ at run time and folded */
BEGIN
{
	a = 0xf0f0; b = 0x0ff0; c = -1;
	printf("%x %x %x %x\n", a & b, a | b, a ^ b, ~a);
	printf("%x %x %x %x\n", 0xf0f0 & 0x0ff0, 0xf0f0 | 0x0ff0, 0xf0f0 ^ 0x0ff0, ~0xf0f0);
	printf("%d %d %d %d\n", c & 12, c | 12, c ^ 12, ~c);
	printf("%d %d\n", ~0, ~5);
	exit(0);
}
