/* arguments may have side effects */
BEGIN
{
	x = 1; printf("%d %d %d\n", x++, x = 7, ++x);
	exit(0);
}
