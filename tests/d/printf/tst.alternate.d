/* the # flag */
BEGIN
{
	printf("%#x %#X %#o %#x %#o\n", 255, 255, 8, 0, 0);
	printf("[%#6x][%-#6x][%#06x]\n", 15, 15, 15);
	exit(0);
}
