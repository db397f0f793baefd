/* letters of ASCII alone change */
BEGIN
{
	printf("[%s]\n", toupper("aBc-12zZ"));
	printf("[%s]\n", tolower("AbC-12zZ"));
	printf("[%s]\n", toupper(""));
	printf("[%s]\n", tolower("[@`{"));
	printf("[%s]\n", toupper("[@`{"));
	exit(0);
}
