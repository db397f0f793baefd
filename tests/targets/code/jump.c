/* SPDX-License-Identifier: MIT */
/* setjmp and longjmp over several traced frames. */
#include <setjmp.h>

#include "../truth.h"

static jmp_buf home;
static unsigned long n_leap, n_deeper, n_attempt, returned_leap, returned_deeper;

KEEP int leap(int i)
{
	hit(&n_leap);
	if (i % 2)
		longjmp(home, i);
	returned_leap++;
	return i;
}

KEEP int deeper(int i, int levels)
{
	volatile int v;

	hit(&n_deeper);
	v = levels ? deeper(i, levels - 1) : leap(i);
	returned_deeper++;
	return v + 1;
}

KEEP int attempt(int i)
{
	int v;

	hit(&n_attempt);
	v = setjmp(home);
	if (v)
		return -v;
	return deeper(i, 4);
}

int main(void)
{
	const long n = turns_of(1000);
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += attempt((int)i);
	printf("sum=%ld\n", sum);
	truth("leap", &n_leap);
	truth("deeper", &n_deeper);
	truth("attempt", &n_attempt);
	truth_return("leap", returned_leap);
	truth_return("deeper", returned_deeper);
	truth_return("attempt", n_attempt);
	return 0;
}
