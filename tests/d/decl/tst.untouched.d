/* declared variables read as zero and empty */
int x; string s; self int y; self string t; this int z; this string u;
int a[string]; string b[int, int]; char *p;
BEGIN
{
	printf("%d [%s] %d [%s] %d [%s]\n", x, s, self->y, self->t, this->z, this->u);
	printf("%d [%s] %p\n", a["k"], b[1, 2], p);
	exit(0);
}
