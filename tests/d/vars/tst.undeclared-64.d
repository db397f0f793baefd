/* an undeclared variable keeps 64 bits, whatever type its first assignment has */
int declared;

BEGIN
{
	k = 35;
	x = 0; x = timestamp;
	printf("global %d %d\n", x == timestamp, sizeof (x));
	x = 0; x += 3000000000;
	printf("sum %d\n", x > 0);
	y = 2147483647; y++;
	printf("step %d %d\n", y > 0, ++y == 1 << 31 | 1);
	self->start = 0; self->start = timestamp;
	printf("self %d\n", self->start == timestamp);
	this->t = 0; this->t = 1 << k;
	printf("this %d\n", this->t == 1 << k);
	a[1] = 0; a[1] = timestamp;
	printf("element %d\n", a[1] == timestamp);
	self->b["k"] = 0; self->b["k"] += 1 << k;
	printf("self element %d\n", self->b["k"] == 1 << k);
	z = (char)1; z = 300;
	printf("narrow %d %d\n", z == 300, z);
	declared = 0; declared = timestamp;
	printf("declared %d\n", declared == timestamp);
}

BEGIN
{
	printf("later %d\n", x == 3000000000);
	@["difference"] = max(x - 1);
	@["declared"] = max(declared = 1 << k);
	printa("%s %@d\n", @);
	exit(0);
}
