/* Precedence and associativity of every operator. */
int x, y, z, w;

BEGIN
{
	a = 1 + 2 * 3 - 4 / 2 % 3;
	b = x << 2 >> 1 & 0xf | 1 ^ 3;
	c = !x || ~y && -z == +w ^^ 1;
	d = x ? y ? 1 : 2 : z ? 3 : 4;
	e = f = g += h -= 2;
	i++;
	--j;
	k = (x, y);
	l = x < y != z >= w;
	m = sizeof (int) + sizeof x;
	n = (char)x + *(int *)y;
}
