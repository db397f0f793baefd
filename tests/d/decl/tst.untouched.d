/* declared variables read as zero and empty, self-> strings and elements as NULL */
int x; string s; self int y; self string t; this int z; this string u;
int a[string]; string b[int, int]; char *p;
BEGIN
{
	printf("%d [%s] %d %d %d [%s]\n", x, s, self->y, self->t == NULL, this->z, this->u);
	printf("%d %d %p\n", a["k"], b[1, 2] == NULL, p);
	exit(0);
}
