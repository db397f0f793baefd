/* the whole order is reversed, aggregations too */
/* run: -x aggsortrev */
BEGIN
{
	@a["x", 1] = sum(5); @a["y", 2] = sum(3); @a["x", 3] = sum(4); @a["z", 0] = sum(5);
	@b = count();
	exit(0);
}
