/* pointers move by what they point at */
struct s { int a[5]; };
struct s *p;
short *q;
char **c;

BEGIN
{
	p = (struct s *)1000;
	q = (short *)1000;
	c = (char **)1000;
	printf("%d %d %d\n", (long)(p + 2), (long)(q - 3), (long)(1 + c));
	printf("%d %d\n", (p + 7) - p, &q[5] - q);
	p++;
	q += 4;
	--c;
	printf("%d %d %d\n", (long)p, (long)q, (long)c);
	printf("%d %d\n", (long)&p->a[2], (long)&p[1].a);
	printf("%d %d %d\n", p > (struct s *)1000, q == NULL, (void *)q == q);
	printf("%d\n", (long)&((struct s *)64)->a);
	exit(0);
}
