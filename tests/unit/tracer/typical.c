/* SPDX-License-Identifier: MIT */
/* What a firing costs as a rule, whatever a few that were measured took. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tracer/cost/typical.h"

#define WAY 10

/* A window of so many firings, of which some were measured. */
struct window {
	uint64_t fired, timed, ns;
	double cost;
};

static void check(const struct window *windows, size_t n)
{
	struct typical t = {0};
	struct cost sum = {0};

	for (size_t i = 0; i < n; i++) {
		const struct window *w = &windows[i];

		sum.fired += w->fired;
		sum.timed += w->timed;
		sum.ns += w->ns;
		assert_int_equal(typical_window(&t, &sum, WAY), w->cost);
	}
}

/* The first window alone tells the ways only. */
static void test_steady(void **state)
{
	static const struct window windows[] = {
		{100, 8, 800, 1000}, {100, 2, 200, 11000}, {0, 0, 0, 0},
		{64, 1, 100, 7040},  {1000, 0, 0, 110000},
	};

	(void)state;
	check(windows, ARRAY_LEN(windows));
}

/* One that was measured while its thread waited, in any window. */
static void test_preempted(void **state)
{
	for (size_t bad = 0; bad < 12; bad++) {
		struct window windows[12];

		for (size_t i = 0; i < 12; i++)
			windows[i] = (struct window){64, 1, i == bad ? 3000000 : 100,
						     i ? 64 * 110 : 64 * WAY};
		check(windows, 12);
	}
	(void)state;
}

/* What costs more from now on is known after half of the windows. */
static void test_dearer(void **state)
{
	struct window windows[12];

	(void)state;
	for (size_t i = 0; i < 12; i++)
		windows[i] = (struct window){64, 1, i < 7 ? 100 : 10000,
					     !i	      ? 64 * WAY
					     : i < 10 ? 64 * 110
						      : UINT64_C(64) * 10010};
	check(windows, 12);
}

/* A target may write smaller numbers than before. */
static void test_backwards(void **state)
{
	struct typical t = {0};
	const struct cost much = {100, 100, 100000}, little = {1, 1, 1};

	(void)state;
	assert_int_equal(typical_window(&t, &much, WAY), 1000);
	assert_int_equal(typical_window(&t, &little, WAY), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steady),
		cmocka_unit_test(test_preempted),
		cmocka_unit_test(test_dearer),
		cmocka_unit_test(test_backwards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
