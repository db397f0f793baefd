/* hexadecimal constants may be unsigned, decimal ones are not */
BEGIN
{
	m = -1;
	printf("%d %d\n", m < 4294967295, m < 2147483648);
	printf("%d %d\n", 0xffffffff, 4294967295);
	printf("%d\n", 0xffffffffffffffff);
	exit(0);
}
