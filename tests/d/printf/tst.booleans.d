/* the result of a comparison is an int */
BEGIN
{
	printf("%d %x %s\n", 3 > 2, "a" == "a", 1 < 2 ? "yes" : "no");
	exit(0);
}
