/* run: -x aggsortkey -x aggsortrev */
/* printa of several: keys, from the last */
BEGIN
{
	@a["x"] = sum(3); @b["x"] = sum(1); @a["y"] = sum(2); @c["z"] = max(7);
	printa("%s %@d %@d %@d\n", @a, @b, @c);
	exit(0);
}
