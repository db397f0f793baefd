/* SPDX-License-Identifier: MIT */
/*
 * Tail calls (a jump out of the function is its return), direct, conditional
 * and through a pointer, and functions with a part in .text.unlikely.
 */
#include "../truth.h"

static unsigned long n_last, n_direct, n_maybe, n_through, n_chain, n_coldly, n_failed;

KEEP long last(long v)
{
	hit(&n_last);
	return v + 1;
}

KEEP long direct(long v)
{
	hit(&n_direct);
	return last(v * 2);
}

KEEP long maybe(long v)
{
	hit(&n_maybe);
	if (v & 1)
		return last(v);
	return v;
}

KEEP long through(long (*f)(long), long v)
{
	hit(&n_through);
	return f(v);
}

KEEP long chain(long v)
{
	hit(&n_chain);
	return direct(v + 3);
}

__attribute__((cold)) KEEP long failed(long v)
{
	hit(&n_failed);
	return -v;
}

KEEP long coldly(long v)
{
	hit(&n_coldly);
	if (__builtin_expect(v % 10 == 9, 0)) {
		long w = failed(v);

		return failed(w) ^ w;
	}
	return v * v;
}

int main(void)
{
	long sum = 0;

	for (long i = 0; i < 300; i++) {
		sum += direct(i) + maybe(i) + chain(i) + coldly(i);
		sum += through(i % 2 ? last : direct, i);
	}
	printf("sum=%ld\n", sum);
	truth("last", &n_last);
	truth("direct", &n_direct);
	truth("maybe", &n_maybe);
	truth("through", &n_through);
	truth("chain", &n_chain);
	truth("coldly", &n_coldly);
	truth("failed", &n_failed);
	truth_return("last", n_last);
	truth_return("direct", n_direct);
	truth_return("maybe", n_maybe);
	truth_return("through", n_through);
	truth_return("chain", n_chain);
	truth_return("coldly", n_coldly);
	return 0;
}
