BEGIN
{
	printf("%d %d\n", 1, "two");
	exit(0);
}
