/* conversions take keys in order; the rest is left out */
BEGIN
{
	@[1, "x", 2L] = sum(5);
	printa("%d %s %d = %@d\n", @); printa("%d = %@d\n", @); printa("%@d\n", @); printa("text\n", @);
	printa("%@d %@x %@5d|%@-5d|%d\n", @);
	exit(0);
}
