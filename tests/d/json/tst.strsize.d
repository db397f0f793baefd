/* run: -x strsize=16 */
/* what strsize cuts off is not there */
BEGIN
{
	printf("[%s]\n", json("{\"a\": 1, \"b\": 2, \"c\": 3}", "a"));
	printf("%d\n", json("{\"a\": 1, \"b\": 2, \"c\": 3}", "c") == NULL);
	exit(0);
}
