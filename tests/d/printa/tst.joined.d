/* the union of the keys; what lacks is 0 */
BEGIN
{
	@a["p"] = sum(1); @b["p"] = count(); @a["q"] = sum(9); @b["r"] = count(); @b["r"] = count();
	printa("%s %@d %@d\n", @a, @b);
	exit(0);
}
