/* %c of every width */
BEGIN
{
	printf("%c%c%c%c\n", 'A', (char)66, (short)67, 68);
	printf("[%3c][%-3c]\n", 'x', 'y');
	exit(0);
}
