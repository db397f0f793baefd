/* SPDX-License-Identifier: MIT */
/*
 * A program with the dispatch of an interpreter (interpreter.S), and functions beside it.
 */
#include "../truth.h"

long interpret(long n);

static unsigned long interpreted, before_calls, behind_calls, main_calls;

KEEP long before(long n)
{
	hit(&before_calls);
	return n < 3 ? 3 : n;
}

KEEP long behind(long n)
{
	hit(&behind_calls);
	return n & 0xff;
}

int main(void)
{
	unsigned long sum = 0;

	hit(&main_calls);
	for (long i = 0; i < 60; i++) {
		hit(&interpreted);
		sum += (unsigned long)interpret(before(i));
		if (i & 1)
			sum += (unsigned long)behind(i);
	}
	truth("main", &main_calls);
	truth("before", &before_calls);
	truth("behind", &behind_calls);
	truth("interpret", &interpreted);
	printf("# %lu\n", sum);
	return 0;
}
