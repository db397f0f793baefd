/* last positions as in Perl */
BEGIN
{
	printf("%d\n", rindex("foobar", ""));
	printf("%d\n", rindex("foofoofoo", "foo"));
	printf("%d\n", rindex("foofoofoo", "foo", 5));
	printf("%d\n", rindex("foofoofoo", "foo", 6));
	printf("%d\n", rindex("foofoofoo", "foo", 100));
	printf("%d\n", rindex("foofoofoo", "foo", 0));
	printf("%d\n", rindex("foofoofoo", "foo", -1));
	printf("%d\n", rindex("foobar", "", -1));
	printf("%d\n", rindex("foobar", "", 3));
	printf("%d\n", rindex("foobar", "baz"));
	printf("%d\n", rindex("", ""));
	printf("%d\n", rindex("", "a"));
	printf("%d\n", rindex("ab", "abc"));
	exit(0);
}
