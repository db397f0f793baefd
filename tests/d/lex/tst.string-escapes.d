/* escapes in strings; other characters keep their backslash */
BEGIN
{
	printf("a\tb\\n\"q\"\n");
	printf("\x41\102\x143|\c|\60\n");
	printf("%d %d %d\n", sizeof ("hello"), sizeof (""), sizeof ("\t\101"));
	exit(0);
}
