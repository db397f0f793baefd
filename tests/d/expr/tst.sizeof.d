/* sizeof does not evaluate its operand */
BEGIN
{
	x = 1; s = "ab"; l = 1L;
	printf("%d %d %d\n", sizeof (x++), sizeof x, x);
	printf("%d %d %d\n", sizeof s, sizeof ("abc"), sizeof (string));
	printf("%d %d %d\n", sizeof (x + l), sizeof (int *), sizeof (&((int *)0)[1]));
	printf("%d %d\n", sizeof (sizeof (x)), sizeof (probename));
	exit(0);
}
