/* the flags + and blank mean something for signed types only */
BEGIN
{
	printf("[%+d][% d][%+u][%+i][%+d]\n", 3u, 3u, 3, 3u, (unsigned char)200); u = (uint64_t)-1; printf("[%+d]\n", u);
	exit(0);
}
