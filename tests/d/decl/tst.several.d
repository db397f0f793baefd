/* several declarators, pointers and arrays among them */
int a, *b, c[string], **d;
self char e, *f;
BEGIN
{
	a = 1; b = (int *)16; c["x"] = 3; d = (int **)24; self->e = 'e'; self->f = (char *)32;
	printf("%d %p %d %p %c %p\n", a, b, c["x"], d, self->e, self->f);
	printf("%d %d %d %d\n", sizeof (a), sizeof (b), sizeof (*b), sizeof (*d));
	exit(0);
}
