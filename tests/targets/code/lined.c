/* SPDX-License-Identifier: MIT */
/*
 * Lines, inlined copies and local variables whose values are known. Compiled with and
 * without optimization. Scripts in tests/d/lines name its lines by number.
 */
#include "../truth.h"

struct point {
	int x;
	long y;
	const char *name;
};

static volatile long noted;

KEEP void note(long v)
{
	noted += v;
}

ALWAYS_INLINE long twice(long half)
{
	long whole = half * 2;

	note(whole);
	return whole;
}

KEEP long sum(int n)
{
	static int calls;
	long total = 0;

	calls++;
	for (int i = 0; i < n; i++) {
		unsigned char low = (unsigned char)(i * 100);

		total += low;
		note(total);
	}
	note(n);
	return total;
}

KEEP long copies(int a)
{
	long first = twice(a);
	long second = twice(a + 1);

	note(first);
	return first + second;
}

KEEP double place(struct point *p, double scale)
{
	struct point own = *p;
	int x = own.x;

	{
		long x = p->y;

		note(x);
	}
	own.y += x;
	note(own.y);
	noted += (long)&own;
	return scale * (double)own.y;
}

KEEP long gone(long a, long b)
{
	note(a);
	note(b);
	return b;
}

/* Its parts are in registers if it is optimized. */
struct two {
	long part;
	int other;
};

KEEP long split(long n)
{
	struct two both = {n * 3, (int)n + 1};

	note(n);
	both.part += noted;
	note(both.part);
	note(both.other);
	return both.part;
}

int main(void)
{
	struct point p = {3, -4, "here"};
	long n = 0;

	n += sum(3);
	n += copies(5);
	n += (long)place(&p, 0.5);
	n += gone(6, 7);
	n += split(9);
	return n == 0;
}
