/* SPDX-License-Identifier: MIT */
/* Functions with copies in others: one that has code of its own, and one that has not. */
#include "../truth.h"

#define COPIED __attribute__((always_inline)) static inline

static volatile int seen;

COPIED int helper(int n)
{
	seen += n;
	return seen * 3;
}

COPIED int only_copies(int n)
{
	seen -= n;
	return seen - 1;
}

/* Its own code never runs. */
COPIED int spare(int n)
{
	return seen / n;
}

KEEP int first(int n)
{
	return helper(n) + helper(n + 1);
}

KEEP int second(int n)
{
	return helper(n) + only_copies(n);
}

KEEP int third(int n)
{
	return only_copies(n) * 2;
}

KEEP int fourth(int n)
{
	return only_copies(n) * 5;
}

KEEP int fifth(int n)
{
	return only_copies(n) * spare(spare(7));
}

static int (*volatile pointer)(int) = helper;
int (*volatile never_called)(int) = spare;

int main(void)
{
	return first(1) + second(2) + third(3) + fourth(4) + fifth(5) + pointer(1) == 0;
}
