/* parts, counted from either end */
BEGIN
{
	printf("[%s]\n", substr("foobarbazbop", 3));
	printf("[%s]\n", substr("foobarbazbop", -10));
	printf("[%s]\n", substr("foobarbazbop", 0, -1));
	printf("[%s]\n", substr("foobarbazbop", 8, 20));
	printf("[%s]\n", substr("foobarbazbop", 12));
	printf("[%s]\n", substr("foobarbazbop", 400));
	printf("[%s]\n", substr("foobarbazbop", 4, 4));
	exit(0);
}
