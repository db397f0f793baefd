/* keys of several types */
BEGIN
{
	a[1, "x", (char)2] = 10; a[1, "y", (char)2] = 20; a[2, "x", (char)2] = 30;
	printf("%d %d %d %d\n", a[1, "x", 2], a[1, "y", 2], a[2, "x", 2], a[2, "y", 2]);
	b[(int *)16] = 1; printf("%d %d\n", b[(int *)16], b[(int *)20]);
	exit(0);
}
