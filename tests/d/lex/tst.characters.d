/* character constants and their escapes */
BEGIN
{
	printf("%d %d %d %d\n", 'a', '\n', '\t', '\0');
	printf("%d %d %d %d\n", '\101', '\x41', '\\', '"');
	printf("%d %d %d\n", '\a', '\177', '\7');
	exit(0);
}
