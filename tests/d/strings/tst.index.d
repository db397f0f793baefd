/* positions as in Perl */
BEGIN
{
	printf("%d\n", index("foobar", ""));
	printf("%d\n", index("foobar", "foo"));
	printf("%d\n", index("foobar", "bar"));
	printf("%d\n", index("foobar", "baz"));
	printf("%d\n", index("foobar", "o"));
	printf("%d\n", index("foobar", "o", 2));
	printf("%d\n", index("foobar", "o", 3));
	printf("%d\n", index("foobar", "foo", -10));
	printf("%d\n", index("foobar", "", 3));
	printf("%d\n", index("foobar", "", 6));
	printf("%d\n", index("foobar", "", 100));
	printf("%d\n", index("foobar", "r", 5));
	printf("%d\n", index("foobar", "r", 6));
	printf("%d\n", index("", ""));
	printf("%d\n", index("", "a"));
	printf("%d\n", index("ab", "abc"));
	exit(0);
}
