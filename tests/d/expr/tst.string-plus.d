/* a string counts as a pointer to char in sums */
BEGIN
{
	s = "hello"; n = 2;
	printf("%s %s %s\n", s + 1, s + n, stringof (s + 4));
	printf("%d\n", strlen(s + 2));
	exit(0);
}
