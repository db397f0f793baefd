/* char and short are not promoted to int */
BEGIN
{
	c = (char)100; s = (short)30000; u = (unsigned char)200;
	printf("%d %d\n", sizeof (c + c), sizeof (s * s));
	printf("%d %d %d\n", c + c, s + s, u + u);
	printf("%d %d %d\n", sizeof (c + s), sizeof (s + 1), sizeof (c + 1L));
	d = c + c; printf("%d %d\n", d, sizeof (d));
	printf("%d\n", -(char)-128);
	exit(0);
}
