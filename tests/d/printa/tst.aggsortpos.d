/* joined rows sort by the chosen aggregation */
/* run: -x aggsortpos=1 */
BEGIN
{
	@a["x"] = sum(1); @b["x"] = sum(30); @a["y"] = sum(2); @b["y"] = sum(20); @a["z"] = sum(3); @b["z"] = sum(10);
	printa("%s %@d %@d\n", @a, @b);
	exit(0);
}
