/* \' and \? are translated as C does */
BEGIN
{
	printf("%d %d\n", '\'', '\?');
	printf("it\'s\?\n");
	exit(0);
}
