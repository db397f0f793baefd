/* one json() inside another, and as a number */
BEGIN
{
	printf("%d\n", strtoll(json(json("{\"a\": {\"b\": 42}}", "a"), "b")));
	exit(0);
}
