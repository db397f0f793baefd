/* one value each */
BEGIN
{
	@s = sum(-5); @v = avg(-5); @n = min(-5); @x = max(-5); @z = sum(0);
	exit(0);
}
