/* positions before the start, empty parts; without a length strsize is one */
BEGIN
{
	printf("[%s]\n", substr("abc", -5));
	printf("[%s]\n", substr("abc", -5, 3));
	printf("[%s]\n", substr("abc", -5, 2));
	printf("[%s]\n", substr("abc", -5, -1));
	printf("[%s]\n", substr("abc", 1, 0));
	printf("[%s]\n", substr("abc", 1, -2));
	printf("[%s]\n", substr("abc", 1, -3));
	printf("[%s]\n", substr("abc", -2, -1));
	printf("[%s]\n", substr("", 0));
	printf("[%s]\n", substr("", -1));
	printf("[%s]\n", substr("abc", 0, 2147483647));
	printf("[%s]\n", substr("abc", -2147483648));
	printf("[%s]\n", substr("abc", -258));
	printf("[%s]\n", substr("abc", -259));
	printf("[%s]\n", substr("abc", -2147483648, 2147483647));
	printf("[%s]\n", substr("abc", 0, -2147483648));
	exit(0);
}
