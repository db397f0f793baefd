/* stringof and casts to string */
BEGIN
{
	s = "text";
	printf("%s %s %s\n", stringof s, stringof ("lit"), (string)s);
	printf("%d %d\n", sizeof (stringof "ab"), stringof s == "text");
	exit(0);
}
