/* run: -x strsize=8 */
/* results hold strsize - 1 characters */
BEGIN
{
	printf("%s %s %s\n", toupper("abcdefghijkl"), substr("abcdefghijkl", 0), dirname("abcdef/ij"));
	printf("%s\n", strjoin("abc", "defg"));
	printf("%d %d\n", strlen("abcdefghijkl"), index("abcdefghijkl", "ij"));
	exit(0);
}
