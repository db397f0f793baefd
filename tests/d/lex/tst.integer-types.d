/* the type of an integer is the first that can hold it */
BEGIN
{
	printf("%d %d %d %d\n", sizeof (5), sizeof (2147483647), sizeof (2147483648),
	    sizeof (5000000000));
	printf("%d %d %d %d\n", sizeof (0x7fffffff), sizeof (0x80000000), sizeof (0xffffffff),
	    sizeof (0x100000000));
	printf("%d %d %d %d %d\n", sizeof (5u), sizeof (4294967296u), sizeof (5l), sizeof (5UL),
	    sizeof (5ull));
	exit(0);
}
