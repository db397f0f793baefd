/* widths and the flags - 0 + blank */
BEGIN
{
	printf("[%5d][%-5d][%05d][%+d][%+d][% d][% d]\n", 42, 42, 42, 42, -42, 42, -42);
	printf("[%5d][%-5d][%05d][%+5d][%-+5d]\n", -42, -42, -42, 42, 42);
	printf("[%2d][%1d][%8u][%-8x][%08X]\n", 12345, -7, 42, 255, 0xbeef);
	printf("[%-05d][%+ d]\n", 42, 42);
	exit(0);
}
