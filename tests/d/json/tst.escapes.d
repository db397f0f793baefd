/* \u needs four hexadecimal digits; from a string without them on nothing is found */
BEGIN
{
	t = "[\"a\", \"b\\u0g\", 3]";
	printf("[%s] %d %d\n", json(t, "0"), json(t, "1") == NULL, json(t, "2") == NULL);
	t = "[\"\\u00eF\", \"\\\"\\\\\\/\\n\", \"\\u12\", 4]";
	printf("[%s] [%s] %d %d\n", json(t, "0"), json(t, "1"), json(t, "2") == NULL, json(t, "3") == NULL);
	t = "{\"\\u00\": 1, \"a\": 2}";
	printf("%d\n", json(t, "a") == NULL);
	printf("%d %d\n", json("[\"\\u12", "0") == NULL, json("[\"\\u\"]", "0") == NULL);
	exit(0);
}
