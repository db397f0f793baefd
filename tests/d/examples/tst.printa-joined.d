BEGIN
{
	@a["p"] = sum(1); @b["p"] = sum(2); @a["q"] = sum(9);
	printa("%s %@d %@d\n", @a, @b);
	exit(0);
}
