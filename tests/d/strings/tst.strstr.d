/* the rest from the first match on, or NULL */
BEGIN
{
	printf("[%s]\n", strstr("foobar", "oba"));
	printf("[%s]\n", strstr("foobar", ""));
	printf("[%s]\n", strstr("foobar", "bar"));
	printf("%d\n", strstr("foobar", "barn") == NULL);
	printf("[%s]\n", strstr("", ""));
	printf("[%s]\n", strstr("aab", "ab"));
	exit(0);
}
