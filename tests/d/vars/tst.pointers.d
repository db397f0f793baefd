/* pointers are kept whole in every scope */
BEGIN
{
	g = (char *)0xfedcba9876543210; self->p = g; this->p = g; a["p"] = g;
	printf("%p %p %p %p\n", g, self->p, this->p, a["p"]);
	g = NULL; printf("%p %d\n", g, g == NULL);
	exit(0);
}
