/* signed in base 10, unsigned in others */
BEGIN
{
	printf("[%s]\n", lltostr(0));
	printf("[%s]\n", lltostr(-5));
	printf("[%s]\n", lltostr(12345678901));
	printf("[%s]\n", lltostr(-9223372036854775807 - 1));
	printf("[%s]\n", lltostr(9223372036854775807));
	printf("[%s]\n", lltostr(-1, 10));
	printf("[%s]\n", lltostr(255, 16));
	printf("[%s]\n", lltostr(-1, 16));
	printf("[%s]\n", lltostr(8, 8));
	printf("[%s]\n", lltostr(0, 8));
	printf("[%s]\n", lltostr(0, 16));
	printf("[%s]\n", lltostr(0, 2));
	printf("[%s]\n", lltostr(5, 2));
	printf("[%s]\n", lltostr(35, 36));
	printf("[%s]\n", lltostr(-1, 2));
	exit(0);
}
