/* %Y and %T */
BEGIN
{
	printf("%Y\n", (uint64_t)86400 * 1000000000);
	printf("%Y|%T\n", (uint64_t)1075035600000000000, (uint64_t)1075035600000000000);
	exit(0);
}
