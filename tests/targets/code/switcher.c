/* SPDX-License-Identifier: MIT */
/* A dense switch: the compiler makes a jump table and an indirect jump. */
#include "../truth.h"

static unsigned long n_dispatch, n_leaf;

KEEP long leaf(long v)
{
	hit(&n_leaf);
	return v + 7;
}

KEEP long dispatch(unsigned op, long v)
{
	hit(&n_dispatch);
	switch (op) {
	case 0:
		return leaf(v) + 1;
	case 1:
		return v * 3;
	case 2:
		return leaf(v * 2);
	case 3:
		return v - 11;
	case 4:
		v = leaf(v);
		return v / 3;
	case 5:
		return v << 2;
	case 6:
		return v ^ 0x55;
	case 7:
		return leaf(leaf(v));
	case 8:
		return ~v;
	default:
		return 0;
	}
}

int main(void)
{
	long v = 1;

	for (unsigned i = 0; i < 1000; i++)
		v = dispatch(i % 11, v) & 0xffff;
	printf("value=%ld\n", v);
	truth("dispatch", &n_dispatch);
	truth("leaf", &n_leaf);
	truth_return("dispatch", n_dispatch);
	truth_return("leaf", n_leaf);
	return 0;
}
