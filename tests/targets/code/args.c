/* SPDX-License-Identifier: MIT */
/*
 * Known arguments, in registers and on the stack, and known results. Prints
 * each call as a D script sees it: "NAME ARG...", and "return NAME RESULT".
 */
#include "../truth.h"

KEEP long six(long a, long b, long c, long d, long e, long f)
{
	printf("six %ld %ld %ld %ld %ld %ld\n", a, b, c, d, e, f);
	return a - f;
}

KEEP long ten(long a, long b, long c, long d, long e, long f, long g, long h, long i,
	      long j)
{
	printf("ten %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld\n", a, b, c, d, e, f, g, h,
	       i, j);
	return a * j;
}

/* Narrow arguments: only the low half of a register means anything. */
KEEP int narrow(int a, unsigned char b, short c)
{
	printf("narrow %d %d %d\n", a, b, c);
	return a - b;
}

KEEP const char *text(const char *s)
{
	printf("text %s\n", s);
	return s + 1;
}

struct pair {
	long a, b;
};

/* Returned in rax and rdx. */
KEEP struct pair two(long a)
{
	const struct pair p = {a + 1, a + 2};

	printf("two %ld\n", a);
	return p;
}

int main(void)
{
	for (long i = -2; i <= 2; i++) {
		struct pair p;
		long v;

		v = six(i, i + 1, 1L << 40, -1, 0, i * 1000000007);
		printf("return six %ld\n", v);
		v = ten(i, 2, 3, 4, 5, 6, i + 7, -8, 1L << 33, i * 10);
		printf("return ten %ld\n", v);
		printf("return narrow %d\n", narrow((int)i * 3, 200, (short)(i * 100)));
		printf("return text %s\n", text("a string in the target"));
		p = two(i);
		printf("return two %ld %ld\n", p.a, p.b);
	}
	return 0;
}
