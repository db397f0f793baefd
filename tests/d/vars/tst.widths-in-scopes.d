/* narrow variables wrap in every scope */
self int8_t s; this uint16_t t; short a[int]; self unsigned char b[string];
BEGIN
{
	self->s = 200; this->t = -1; a[1] = 65535; self->b["k"] = 511;
	printf("%d %d %d %d\n", self->s, this->t, a[1], self->b["k"]);
	self->s++; this->t++; a[1]--; self->b["k"]++;
	printf("%d %d %d %d\n", self->s, this->t, a[1], self->b["k"]);
	exit(0);
}
