/* division and modulus of unsigned types */
uint64_t u; uint64_t v;
BEGIN
{
	u = -1; v = 10;
	printf("%d %d %d %d\n", u / v, u % v, u / 2, u % 256);
	printf("%d %d\n", 0xffffffffffffffff / 10, 0xffffffffffffffff % 10);
	exit(0);
}
