/* self-> arrays */
BEGIN
{
	self->a["x", 1] = 5; self->a["x", 2] += 6; self->a["x", 1]++;
	printf("%d %d %d\n", self->a["x", 1], self->a["x", 2], self->a["y", 1]);
	exit(0);
}
