/* %@f: the share of a row in all rows, without any option */
BEGIN
{
	@a["one"] = sum(1);
	@a["three"] = sum(3);
	@b["one"] = count();
	@none = sum(-5);
	@zero = sum(0);
	printa("%s %@d |%@6.2f%%|%@-8.1f|%@08.3f|%@+f|%@e|%@g\n", @a);
	printa("%s %@d %@.1f %@d %@.1f\n", @a, @a, @b, @b);
	printa("%s %@.1f %@d %@.1f\n", @a, @b, @a);
	normalize(@a, 2);
	printa("%s %@d %@.1f\n", @a);
	printa("%@d |%@6.2f|%@-3f|\n", @none);
	printa("%@d %@f\n", @zero);
	exit(0);
}
