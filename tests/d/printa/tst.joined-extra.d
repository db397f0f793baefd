/* further %@ repeat the last aggregation */
BEGIN
{
	@a[1] = sum(5); @b[1] = sum(6);
	printa("%d %@d %@d %@d %@d\n", @a, @b); printa("%@d %d\n", @a, @b);
	exit(0);
}
