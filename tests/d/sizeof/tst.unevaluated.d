/* the operand is not evaluated */
int x;

BEGIN
{
	y = sizeof (x++);
	printf("%d %d %d\n", x, y, sizeof (*(long *)0));
	exit(0);
}
