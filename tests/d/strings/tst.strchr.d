/* the rest from the first one on, or NULL */
BEGIN
{
	printf("[%s]\n", strchr("abcb", 'b'));
	printf("[%s]\n", strchr("abcb", 'a'));
	printf("%d\n", strchr("abcb", 'x') == NULL);
	printf("[%s]\n", strchr("abc", '\0'));
	printf("%d\n", strchr("", 'a') == NULL);
	exit(0);
}
