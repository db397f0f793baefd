/* flags and widths of keys and values */
BEGIN
{
	@["abc", (char)-1] = sum(-5);
	printa("[%-6s][%4d][%@6d][%@-6d][%@06d]\n", @);
	printa("[%s][%x][%@x]\n", @);
	exit(0);
}
