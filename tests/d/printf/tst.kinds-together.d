/* sizes and strings in one record keep their places */
BEGIN
{
	printf("%d %s %d %s %x %c %d\n", (char)1, "two", (short)3, "four", 5L, '6', 7);
	trace((char)8); printf("|%s|", "nine"); trace("ten"); printf("\n");
	exit(0);
}
