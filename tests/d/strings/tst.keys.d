/* results as keys, in variables, in comparisons */
BEGIN
{
	a["xy"] = "kept";
	s = toupper(substr("abc", 1));
	printf("[%s]\n", a[strjoin("x", "y")]);
	printf("%d\n", strjoin("a", "b") == "ab");
	printf("%d\n", substr("abc", 1) < "bd");
	printf("[%s]\n", s);
	exit(0);
}
