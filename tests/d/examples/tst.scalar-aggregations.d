/* SPDX-License-Identifier: MIT */
BEGIN
{
	@a = avg(1); @a = avg(2); @a = avg(4);
	@s = sum(1); @s = sum(-4);
	@n = min(7); @n = min(-3);
	@x = max(7); @x = max(-3);
	@d = stddev(2); @d = stddev(4); @d = stddev(4); @d = stddev(4);
	@d = stddev(5); @d = stddev(5); @d = stddev(7); @d = stddev(9);
	exit(0);
}
