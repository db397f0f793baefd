/* SPDX-License-Identifier: MIT */
/* outer() has a copy of between(), that one a copy of innermost(), which calls leaf(). */
#include "../truth.h"

#define COPIED __attribute__((always_inline)) static inline

static volatile int seen;

KEEP void leaf(void)
{
	seen++;
}

COPIED void innermost(int n)
{
	seen = n;
	leaf();
	seen--;
}

COPIED void between(int n)
{
	seen += n;
	innermost(n + 1);
	seen--;
}

KEEP int outer(int n)
{
	between(n);
	return seen;
}

int main(void)
{
	return outer(3) == 0;
}
