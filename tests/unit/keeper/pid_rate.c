/* SPDX-License-Identifier: MIT */
/* When breakpoints of pid count as very frequent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tracer/keeper/fire/pid_rate.h"

#define SECOND UINT64_C(1000000000)

/* Adds n events of one each, step ns apart; returns at which one it is told, or 0. */
static uint64_t add(struct pid_rate *r, uint64_t n, uint64_t *now, uint64_t step)
{
	uint64_t told = 0;

	for (uint64_t i = 1; i <= n; i++, *now += step)
		if (pid_rate_add(r, 1, *now)) {
			assert_int_equal(told, 0);
			told = i;
		}
	return told;
}

static void test_limit(void **state)
{
	static const struct {
		uint64_t n, step, told;
	} cases[] = {
		{PID_RATE_EVENTS - 1, 0, 0},
		{PID_RATE_EVENTS, 0, PID_RATE_EVENTS},
		{3 * PID_RATE_EVENTS, 1000, PID_RATE_EVENTS},
		{3 * PID_RATE_EVENTS, SECOND / PID_RATE_EVENTS, PID_RATE_EVENTS},
		{3 * PID_RATE_EVENTS, SECOND / (PID_RATE_EVENTS - 1) + 1, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct pid_rate r = {0};
		uint64_t now = 7 * SECOND;

		assert_int_equal(add(&r, cases[i].n, &now, cases[i].step),
				 cases[i].told);
	}
}

/* Slow events before a burst, and a pause in it, hide it for one window at most. */
static void test_bursts(void **state)
{
	struct pid_rate r = {0};
	uint64_t now = SECOND;

	(void)state;
	assert_int_equal(add(&r, 100, &now, SECOND), 0);
	assert_int_equal(add(&r, 2 * PID_RATE_EVENTS, &now, 1000),
			 2 * PID_RATE_EVENTS - 100);
}

/* Several probes at one site count each, and a window may end amid them. */
static void test_several(void **state)
{
	struct pid_rate r = {0};

	(void)state;
	assert_false(pid_rate_add(&r, PID_RATE_EVENTS - 1, 1));
	assert_true(pid_rate_add(&r, 3, SECOND));
	assert_false(pid_rate_add(&r, PID_RATE_EVENTS, SECOND));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_bursts),
		cmocka_unit_test(test_several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
