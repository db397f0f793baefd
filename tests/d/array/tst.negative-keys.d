/* negative and wide keys */
BEGIN
{
	a[-1] = 1; a[1] = 2; a[0] = 3; l[-1L] = 4; l[4294967295] = 5; l[0x7fffffffffffffff] = 6;
	printf("%d %d %d %d %d %d\n", a[-1], a[1], a[0], l[-1L], l[4294967295], l[0x7fffffffffffffff]);
	exit(0);
}
