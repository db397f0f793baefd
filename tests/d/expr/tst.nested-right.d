/* values held at once on the right */
BEGIN
{
	x = 1;
	printf("%d\n", x - (x - (x - (x - (x - (x - (x)))))));
	exit(0);
}
