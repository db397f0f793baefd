// SPDX-License-Identifier: MIT
// A library for the program loader, that throws: C++ comes into a C program with it.
#include "../truth.h"

static unsigned long calls;

extern "C" KEEP int hurl(int i)
{
	if (i % 2)
		throw i;
	return i;
}

extern "C" KEEP int bounce(int i)
{
	return hurl(i) + 1;
}

extern "C" KEEP long plugged(long i)
{
	hit(&calls);
	try {
		return bounce(static_cast<int>(i));
	} catch (int v) {
		return -v;
	}
}

extern "C" KEEP unsigned long plugin_calls(void)
{
	return calls;
}
