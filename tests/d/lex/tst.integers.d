/* bases and prefixes of integers */
BEGIN
{
	printf("%d %d %d %d %d\n", 10, 010, 0x10, 0XfF, 0);
	printf("%u %x\n", 18446744073709551615u, 0xffffffffffffffff);
	exit(0);
}
