/* characters before the end */
BEGIN
{
	printf("%d\n", strlen(""));
	printf("%d\n", strlen("abc"));
	printf("%d\n", strlen(probename));
	printf("%d\n", strlen(strjoin("ab", "cde")));
	exit(0);
}
