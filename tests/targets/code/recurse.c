/* SPDX-License-Identifier: MIT */
/* Recursion: wide (fib), deep (depth) and mutual (even, odd). */
#include "../truth.h"

static unsigned long n_fib, n_depth, n_even, n_odd;

KEEP long fib(long n)
{
	volatile long sum; /* else the second call becomes a loop */

	hit(&n_fib);
	if (n < 2)
		return n;
	sum = fib(n - 1);
	sum += fib(n - 2);
	return sum;
}

KEEP long depth(long n)
{
	volatile char pad[64];

	hit(&n_depth);
	pad[0] = (char)n;
	return n ? depth(n - 1) + pad[0] : 0;
}

KEEP int odd(unsigned n);

KEEP int even(unsigned n)
{
	volatile int r;

	hit(&n_even);
	r = n ? odd(n - 1) : 1;
	return r;
}

KEEP int odd(unsigned n)
{
	volatile int r;

	hit(&n_odd);
	r = n ? even(n - 1) : 0;
	return r;
}

int main(void)
{
	printf("%ld %ld %d\n", fib(15), depth(5000), even(301));
	truth("fib", &n_fib);
	truth("depth", &n_depth);
	truth("even", &n_even);
	truth("odd", &n_odd);
	return 0;
}
