/* an assignment gives what was stored, with the left type */
int8_t c;
BEGIN
{
	x = y = z = 4; printf("%d %d %d\n", x, y, z);
	w = (c = 300); printf("%d %d\n", w, sizeof (c = 1));
	printf("%d %d\n", (x += 3) * 2, x);
	exit(0);
}
