/* evaluates left then right, gives the right */
BEGIN
{
	x = (1, 2); printf("%d\n", x);
	y = (x++, x * 10); printf("%d %d\n", x, y);
	x = 1, y = 2; printf("%d %d\n", x, y);
	exit(0);
}
