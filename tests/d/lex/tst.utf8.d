/* bytes above 0x7f occur in strings and comments */
BEGIN
{
	/* größer */
	printf("grün €\n");
	x = "日本";
	printf("%s %d\n", x, strlen(x));
	exit(0);
}
