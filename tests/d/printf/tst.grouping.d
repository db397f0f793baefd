/* no grouping in the C locale */
BEGIN
{
	printf("%'d|%'u\n", 1234567, 7654321);
	exit(0);
}
