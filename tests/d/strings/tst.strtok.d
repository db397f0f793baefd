/* one token at a call; delimiters around them are skipped */
BEGIN
{
	printf("[%s]\n", strtok(":a::b,c:", ":,"));
	printf("[%s]\n", strtok(NULL, ":,"));
	printf("[%s]\n", strtok(NULL, ":,"));
	printf("%d\n", strtok(NULL, ":,") == NULL);
	exit(0);
}
