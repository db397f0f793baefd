/* %C and %S show what cannot be printed as escapes */
BEGIN
{
	printf("%C%C%C|%C\n", 'a', '\n', '\t', '\\');
	printf("%S\n", "tab\there\nbell\a\"quoted\" \\ back");
	exit(0);
}
