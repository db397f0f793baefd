/* SPDX-License-Identifier: MIT */
/*
 * plugin.c with a thousand more functions: what is kept of each object that was loaded
 * shows.
 */
#include "plugin.c"

#define ONE(n)                                                                         \
	int f##n(int *p);                                                              \
	KEEP int f##n(int *p)                                                          \
	{                                                                              \
		volatile int some[16] = {0};                                           \
		return p[0] + some[1 + p[0] % 8];                                      \
	}
#define TEN(n)                                                                         \
	ONE(n##0)                                                                      \
	ONE(n##1)                                                                      \
	ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED(n)                                                                     \
	TEN(n##0)                                                                      \
	TEN(n##1)                                                                      \
	TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)

HUNDRED(_0)
HUNDRED(_1)
HUNDRED(_2)
HUNDRED(_3)
HUNDRED(_4)
HUNDRED(_5)
HUNDRED(_6)
HUNDRED(_7)
HUNDRED(_8)
HUNDRED(_9)
