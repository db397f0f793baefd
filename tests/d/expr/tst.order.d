/* operands and arguments are evaluated left to right */
BEGIN
{
	x = 0;
	printf("%d %d %d\n", x++, x++, x++);
	y = x++ * 10 + x++; printf("%d\n", y);
	exit(0);
}
