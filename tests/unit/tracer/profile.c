/* SPDX-License-Identifier: MIT */
#include "tracer/providers/prov_profile.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Intervals of tick names; 0 means there is no such probe. */
static void test_interval(void **state)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} cases[] = {
		{"tick-1", 1000000000},
		{"tick-10", 100000000},
		{"tick-10hz", 100000000},
		{"tick-10HZ", 100000000},
		{"tick-1s", 1000000000},
		{"tick-1sec", 1000000000},
		{"tick-5S", 5000000000},
		{"tick-500ms", 500000000},
		{"tick-500msec", 500000000},
		{"tick-200us", 200000},
		{"tick-250usec", 250000},
		{"tick-300000ns", 300000},
		{"tick-1m", 60000000000},
		{"tick-2min", 120000000000},
		{"tick-1h", 3600000000000},
		{"tick-1hour", 3600000000000},
		{"tick-1d", 86400000000000},
		{"tick-1day", 86400000000000},
		{"tick-5000", 200000},
		{"tick-5001", 0},
		{"tick-199us", 0},
		{"tick-1ns", 0},
		{"tick-1us", 0},
		{"tick-0", 0},
		{"tick-", 0},
		{"tick-s", 0},
		{"tick-1x", 0},
		{"tick-1.5s", 0},
		{"tick--1", 0},
		{"tick-18446744073709551616", 0},
		{"tick-18446744073709551615d", 0},
		{"tock-1", 0},
		{"profile-97", 10309278},
		{"profile-5001", 0},
		{"profile-", 0},
		{"profile-1s", 1000000000},
		{"tick-1000000000ns", 1000000000},
		{"", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(prov_profile_interval(cases[i].name), cases[i].ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
