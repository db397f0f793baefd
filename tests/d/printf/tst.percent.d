/* percent signs and text without conversions */
BEGIN
{
	printf("100%%\n"); printf("%%d %d %%\n", 1); printf("plain\n"); printf("%%");
	exit(0);
}
