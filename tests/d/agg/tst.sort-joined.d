/* run: -x aggsortpos=1 */
/* printa of several: by the values of the second, then of the first */
BEGIN
{
	@a["x"] = sum(3); @b["x"] = sum(1);
	@a["y"] = sum(2); @b["y"] = sum(5);
	@a["z"] = sum(1); @b["z"] = sum(1);
	@a["only a"] = sum(9);
	@b["only b"] = sum(4);
	printa("%-8s %@3d %@3d\n", @a, @b);
	exit(0);
}
