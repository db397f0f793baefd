/* 1, 2, 4 and 8 byte keys; each has the sign of its type */
BEGIN
{
	@a[(char)-1] = count();
	@b[(short)-2] = count();
	@c[-3, 4294967295u] = count();
	@d[-4L, (int *)255] = count();
	@e[(unsigned char)7, (unsigned short)8, 9u, 10ul] = count();
	exit(0);
}
