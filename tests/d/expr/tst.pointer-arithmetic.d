/* pointers move by the size of what they point to */
BEGIN
{
	p = (int *)0x1000; q = (int *)0x1010; l = (long *)0x1000; c = (char *)0x1000; n = 3;
	printf("%p %p %p %p\n", p + 1, 1 + p, p - 1, p + n);
	printf("%p %p %p\n", l + 1, c + 1, (short *)0x1000 + n);
	printf("%d %d %d\n", q - p, p - q, sizeof (q - p));
	printf("%p %p\n", &p[4], &l[n]);
	p++; printf("%p ", p); p += 2; printf("%p ", p); --p; printf("%p ", p); p -= 1; printf("%p\n", p);
	pp = (char **)0x1000; printf("%p\n", pp + 1);
	exit(0);
}
