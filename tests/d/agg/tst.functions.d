/* count, sum, avg, min, max */
BEGIN
{
	@c = count(); @c = count(); @c = count();
	@s = sum(7); @s = sum(-10); @s = sum(1);
	@v = avg(1); @v = avg(2); @v = avg(6);
	@n = min(5); @n = min(-2); @n = min(9);
	@x = max(5); @x = max(-2); @x = max(9);
	exit(0);
}
