/* a shift has the type of its left operand */
BEGIN
{
	c = (char)1; l = (long)1;
	printf("%d %d %d\n", sizeof (c << l), sizeof (l << c), sizeof (1 << l));
	printf("%d %d\n", c << 7, c << 8);
	exit(0);
}
