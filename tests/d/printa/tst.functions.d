/* each function through %@d and %@u */
BEGIN
{
	@c = count(); @s = sum(-3); @v = avg(-3); @v = avg(-4); @n = min(-9); @x = max(7);
	printa("%@d ", @c); printa("%@d ", @s); printa("%@d ", @v); printa("%@d ", @n); printa("%@d\n", @x);
	printa("%@u %@x\n", @x); printa("%@i %@o\n", @c);
	exit(0);
}
