/* Every operator, precedence and associativity. */
BEGIN
{
	a = b = 1 + 2 * 3 - 4 / 5 % 6;
	a += b -= c *= d /= e %= f;
	a <<= b >>= c &= d ^= e |= f;
	x = a << 1 + 2 < b >> 1 == c & d ^ e | f && g ^^ h || i;
	x = a ? b : c ? d, e : f;
	x = !a + ~b - -c * +d + *e & &f;
	++a, --b, c++, d--;
	x = p->q.r[1].s->string;
	x = (char *)(uint64_t)a + sizeof (int *) + sizeof a + stringof b;
	self->t = this->u + libc.so.6`environ + `y;
	arr[1, "two", 'c'] = m[3][4];
	f(), g(a, (b, c), "x");
	@ = count();
	@k[probefunc, x] = lquantize(arg0, 0, 100, 10)
}
