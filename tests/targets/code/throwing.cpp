// SPDX-License-Identifier: MIT
// C++ exceptions thrown through traced functions, rethrown, and passing
// destructors. A function left by an exception never fires its return probe.
#include <cstdio>
#include <stdexcept>

#include "../truth.h"

static unsigned long n_thrower, n_middle, n_outer, n_catcher, n_drop, n_rethrow;
static unsigned long returned_thrower, returned_middle, returned_outer,
	returned_rethrow;

struct guard {
	KEEP ~guard();
};

extern "C" KEEP void drop(void)
{
	hit(&n_drop);
}

guard::~guard()
{
	drop();
}

extern "C" KEEP int thrower(int i)
{
	hit(&n_thrower);
	if (i % 3 == 0)
		throw std::runtime_error("third");
	if (i % 3 == 1)
		throw i;
	returned_thrower++;
	return i;
}

extern "C" KEEP int middle(int i)
{
	guard g;
	int v;

	hit(&n_middle);
	v = thrower(i) + 1;
	returned_middle++;
	return v;
}

extern "C" KEEP int rethrow(int i)
{
	int v;

	hit(&n_rethrow);
	try {
		v = middle(i);
	} catch (int) {
		throw;
	}
	returned_rethrow++;
	return v;
}

extern "C" KEEP int outer(int i)
{
	guard g;
	int v;

	hit(&n_outer);
	v = rethrow(i) + 1;
	returned_outer++;
	return v;
}

extern "C" KEEP int catcher(int i)
{
	hit(&n_catcher);
	try {
		return outer(i);
	} catch (const std::runtime_error &) {
		return -1;
	} catch (int v) {
		return -v;
	}
}

int main()
{
	const long n = turns_of(900);
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += catcher((int)i);
	printf("sum=%ld\n", sum);
	truth("thrower", &n_thrower);
	truth("middle", &n_middle);
	truth("outer", &n_outer);
	truth("rethrow", &n_rethrow);
	truth("catcher", &n_catcher);
	truth("drop", &n_drop);
	truth_return("thrower", returned_thrower);
	truth_return("middle", returned_middle);
	truth_return("rethrow", returned_rethrow);
	truth_return("outer", returned_outer);
	truth_return("catcher", n_catcher);
	return 0;
}
