uint8_t a;
int8_t b;
BEGIN
{
	a = 200;
	b = 200;
	printf("%d %d %u %x\n", a, b, b, b);
	exit(0);
}
