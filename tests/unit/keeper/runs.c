/* SPDX-License-Identifier: MIT */
/* Numbers of sites and lists: none is given twice, and what comes back is used again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tracer/keeper/space/runs.h"

#define MAX 1024u

static unsigned char taken[MAX];

static uint32_t take(struct runs *r, uint32_t n)
{
	uint32_t first = runs_take(r, n);

	for (uint32_t i = 0; first != RUNS_NONE && i < n; i++) {
		assert_true(first + i < MAX);
		assert_int_equal(taken[first + i]++, 0);
	}
	return first;
}

static void give(struct runs *r, uint32_t first, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		taken[first + i]--;
	runs_give(r, first, n);
}

/* A library of 300 lists that is loaded again and again, beside one that stays. */
static void test_used_again(void **state)
{
	struct runs r = {.max = MAX};
	uint32_t first[300];

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		assert_int_not_equal(take(&r, 1), RUNS_NONE);
	for (int round = 0; round < 1000; round++) {
		for (uint32_t i = 0; i < 300; i++) {
			first[i] = take(&r, 1 + i % 3);
			assert_int_not_equal(first[i], RUNS_NONE);
		}
		for (uint32_t i = 0; i < 300; i++)
			give(&r, first[i], 1 + i % 3);
	}
	assert_true(r.end <= 100 + 100 * (1 + 2 + 4));
	runs_release(&r);
}

/* When all were given once, short runs are parts of long ones that came back. */
static void test_split_when_full(void **state)
{
	struct runs r = {.max = 64};

	(void)state;
	memset(taken, 0, sizeof(taken));
	assert_int_equal(take(&r, 64), 0);
	assert_int_equal(take(&r, 1), RUNS_NONE);
	give(&r, 0, 64);
	for (int i = 0; i < 64; i++)
		assert_int_not_equal(take(&r, 1), RUNS_NONE);
	assert_int_equal(take(&r, 1), RUNS_NONE);
	assert_int_equal(runs_take(&r, UINT32_MAX), RUNS_NONE);
	runs_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_used_again),
		cmocka_unit_test(test_split_when_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
