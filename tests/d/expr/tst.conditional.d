/* ?: picks one branch and associates to the right */
BEGIN
{
	z = 0; t = 1; x = 5;
	printf("%d %d\n", t ? 10 : 20, z ? 10 : 20);
	printf("%d\n", z ? 1 : z ? 2 : t ? 3 : 4);
	y = t ? x : x++; printf("%d %d\n", y, x);
	y = z ? 7 : x++; printf("%d %d\n", y, x);
	printf("%s %s\n", t ? "yes" : "no", z ? "yes" : "no");
	s = "var"; printf("%s %s\n", t ? s : "lit", z ? s : "lit");
	printf("%d\n", sizeof (t ? (char)1 : 1L));
	p = t ? (int *)8 : NULL; printf("%p\n", p);
	exit(0);
}
