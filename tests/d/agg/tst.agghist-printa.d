/* run: -x agghist */
/* printa: the style in the default layout of one aggregation only */
BEGIN
{
	@a[(char)1] = sum(1); @b[(char)1] = sum(2);
	printa(@a);
	printa(@a, @b);
	printa("%d %@d\n", @a);
	exit(0);
}
