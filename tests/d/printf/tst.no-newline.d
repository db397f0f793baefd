/* nothing is added between calls */
BEGIN
{
	printf("a"); printf("b%d", 1); printf("c\nd");
	exit(0);
}
