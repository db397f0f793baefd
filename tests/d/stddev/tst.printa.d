/* %@d and %@u of a deviation; the default layout; clear() makes it 0 */
BEGIN
{
	@a[1] = stddev(-10); @a[1] = stddev(30);
	printa("%d: %@d %@8u|\n", @a);
	printa(@a);
	clear(@a);
	printa(@a);
	exit(0);
}
