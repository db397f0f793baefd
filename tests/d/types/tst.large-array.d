/* an element of a large array costs no memory for the rest of it */
long v[8000];
self int w[20000];

BEGIN
{
	i = 7999;
	v[i] = 5;
	v[0] = 6;
	v[i]++; v[i]++; v[i]++; v[i]++; v[i]++; v[i]++; v[i]++; v[i]++; v[i]++;
	v[1] = v[i] + v[0] + v[2] + v[i] + v[0] + v[2];
	printf("%d %d %d %d\n", v[0], v[1], v[i - 1], v[i]);
	i = 19999;
	self->w[599] = 3;
	self->w[i] += self->w[599] * 2;
	printf("%d %d\n", self->w[i], self->w[0]);
	exit(0);
}

ERROR
{
	exit(1);
}
