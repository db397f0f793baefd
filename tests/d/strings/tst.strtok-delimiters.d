/* each call has its own delimiters; none at all take the rest */
BEGIN
{
	printf("[%s]\n", strtok("key=a b c", "="));
	printf("[%s]\n", strtok(NULL, " "));
	printf("[%s]\n", strtok(NULL, ""));
	printf("%d\n", strtok("", ":") == NULL);
	printf("%d\n", strtok(":::", ":") == NULL);
	printf("[%s]\n", strtok("whole", ""));
	exit(0);
}
