/* before 1970: the second that the time lies in */
BEGIN
{
	printf("%Y\n", (int64_t)-1000000000);
	printf("%Y\n", (int64_t)-1);
	printf("%Y\n", (int64_t)-86400 * 1000000000);
	printf("%Y\n", (int64_t)0);
	exit(0);
}
