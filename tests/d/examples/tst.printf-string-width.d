BEGIN
{
	printf("%.3s|%6s|%-6s|%.0s|\n", "abcdef", "abc", "abc", "abc");
	exit(0);
}
