/* pointers compare as unsigned addresses; 0 and NULL with all */
BEGIN
{
	p = (int *)0x1000; q = (int *)-8; z = (int *)0;
	printf("%d%d%d%d\n", p < q, p > q, p == q, p != q);
	printf("%d%d%d%d\n", z == NULL, z == 0, p == NULL, !p);
	printf("%d%d\n", p && q, z || z);
	printf("%d\n", (void *)p == p);
	exit(0);
}
