/* the operand of higher rank gives the type */
BEGIN
{
	i = -1; u = 1u; l = -1L; ul = 1UL; us = (unsigned short)1; s = (short)-1;
	printf("%d %d %d\n", i < u, l < u, l < ul);
	printf("%d %d %d\n", s < us, i < us, sizeof (us + s));
	printf("%d %d\n", sizeof (u + l), sizeof (i + u));
	exit(0);
}
