/* before the value is reached: NULL */
BEGIN
{
	printf("%d\n", json("{\"a\": 0x10, \"b\": 1}", "b") == NULL);
	printf("%d\n", json("{\"a\": tru, \"b\": 1}", "b") == NULL);
	printf("%d\n", json("{\"a\": [1, 2}, \"b\": 1}", "b") == NULL);
	printf("%d\n", json("{\"a\" 1}", "a") == NULL);
	printf("%d\n", json("{a: 1}", "a") == NULL);
	printf("%d\n", json("[1 2]", "1") == NULL);
	printf("%d\n", json("[1,]", "1") == NULL);
	printf("%d\n", json("{\"a\": \"x", "a") == NULL);
	printf("%d\n", json("{\"a\": 12", "a") == NULL);
	printf("%d\n", json("{\"a\": [1", "a") == NULL);
	printf("%d\n", json("[01, 2]", "1") == NULL);
	printf("%d\n", json("[1., 2]", "1") == NULL);
	printf("%d\n", json("[nullx, 2]", "1") == NULL);
	printf("%d\n", json("[--1, 2]", "1") == NULL);
	printf("%d\n", json("", "a") == NULL);
	printf("%d\n", json("   ", "0") == NULL);
	printf("%d\n", json("[]", "0") == NULL);
	printf("%d\n", json("{}", "a") == NULL);
	printf("%d\n", json("[0x10]", "0") == NULL);
	exit(0);
}
