/* the two parts of a device number */
BEGIN
{
	d = (dev_t)(8 << 20 | 17);
	printf("%d %d\n", getmajor(d), getminor(d));
	d = (dev_t)0xffffffff;
	printf("%d %d\n", getmajor(d), getminor(d));
	printf("%d %d %d\n", sizeof (dev_t), getmajor(0), getminor(1 << 32));
	exit(0);
}
