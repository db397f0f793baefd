/* what one returns another takes */
BEGIN
{
	printf("[%s]\n", basename(dirname("/a/b/c")));
	printf("[%s]\n", toupper(substr(strstr("x=abc", "="), 1)));
	printf("%d\n", strlen(strjoin(lltostr(12), "345")));
	printf("%d\n", strtoll(strtok("10:20", ":")) + strtoll(strtok(NULL, ":")));
	printf("%d\n", index(toupper("needle"), "LE"));
	exit(0);
}
