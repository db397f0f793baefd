/* each call has its own delimiters and begins where the last token ended; none at all
 * take the rest */
BEGIN
{
	printf("[%s]\n", strtok("key=a b c", "="));
	printf("[%s]\n", strtok(NULL, " "));
	printf("[%s]\n", strtok(NULL, ""));
	printf("[%s]\n", strtok("one,two", ","));
	printf("[%s]\n", strtok(NULL, "t"));
	printf("[%s]\n", strtok(NULL, ","));
	printf("%d\n", strtok(NULL, ",") == NULL);
	printf("%d\n", strtok("", ":") == NULL);
	printf("%d\n", strtok(":::", ":") == NULL);
	printf("[%s]\n", strtok("whole", ""));
	exit(0);
}
