/* %p of pointers and integers, no 0x */
BEGIN
{
	printf("%p %p %p %p\n", (char *)0xdeadbeef, (void *)0, 255, -1L);
	printf("[%12p][%-12p]\n", (int *)0xabc, (int *)0xabc);
	exit(0);
}
