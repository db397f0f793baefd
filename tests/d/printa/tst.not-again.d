/* what printa printed anywhere is not printed at the end */
BEGIN
{
	@a = count(); @b = sum(7); printa("%@d\n", @a);
	exit(0);
}
