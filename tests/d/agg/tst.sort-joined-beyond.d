/* run: -x aggsortpos=7 */
/* a position past the last: the first */
BEGIN
{
	@a["x"] = sum(3); @b["x"] = sum(1); @a["y"] = sum(2); @b["y"] = sum(2);
	printa("%s %@d %@d\n", @a, @b);
	exit(0);
}
