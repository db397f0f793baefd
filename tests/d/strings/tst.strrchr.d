/* the rest from the last one on, or NULL */
BEGIN
{
	printf("[%s]\n", strrchr("abcb", 'b'));
	printf("[%s]\n", strrchr("/a/b/c", '/'));
	printf("%d\n", strrchr("abcb", 'x') == NULL);
	printf("[%s]\n", strrchr("aaa", 'a'));
	exit(0);
}
