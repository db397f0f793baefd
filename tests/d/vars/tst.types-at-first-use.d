/* the first assignment fixes the type */
BEGIN
{
	c = (char)1; c = 300; l = 1L; l = -5; s = "abc"; p = (int *)16; u = 1u; u = -1;
	printf("%d %d %d %d\n", sizeof (c), sizeof (l), sizeof (s), sizeof (p));
	printf("%d %d %s %p %d\n", c, l, s, p + 1, u);
	exit(0);
}
