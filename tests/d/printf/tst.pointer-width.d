/* ? makes room for a pointer */
BEGIN
{
	printf("[%?x][%-?x][%?p]\n", 0x1234, 0x1234, (int *)0xabcd);
	printf("[%?s]\n", "ab");
	exit(0);
}
