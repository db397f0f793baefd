/* what follows the value is not looked at */
BEGIN
{
	printf("[%s]\n", json("{\"a\": 1, bad", "a"));
	printf("[%s]\n", json("[1, 2, ???", "1"));
	printf("[%s]\n", json("{\"a\": [1, 2]", "a"));
	printf("[%s]\n", json("{\"a\": \"x\" \"y\"", "a"));
	exit(0);
}
