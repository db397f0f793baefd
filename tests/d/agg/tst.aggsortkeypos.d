/* keys from the second on, wrapping around */
/* run: -x aggsortkey -x aggsortkeypos=1 */
BEGIN
{
	@a["x", 1] = sum(5); @a["y", 2] = sum(3); @a["x", 3] = sum(4); @a["z", 0] = sum(5);
	@b = count();
	exit(0);
}
