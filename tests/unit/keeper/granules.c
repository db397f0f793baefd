/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tracer/keeper/space/granules.h"

static bool have(const struct granules *g, uint64_t lo, uint64_t hi)
{
	return granules_have(g, taddr_of(lo), taddr_of(hi));
}

/* No range that holds something is said to be empty: also across pages and the end. */
static void test_never_misses(void **state)
{
	static const uint64_t at[] = {0x1000, 0x1fff,	  0x2000,	 0x40003f,
				      0,      UINT64_MAX, 0x7fffffffffff};
	struct granules g = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(at); i++) {
		assert_false(have(&g, at[i] - 100, at[i] + 100));
		granules_add(&g, taddr_of(at[i]));
		for (uint64_t lo = 0; lo < 200; lo += 7)
			for (uint64_t n = 1; n < 200; n += 13)
				if (lo < n)
					assert_true(
						have(&g, at[i] - lo, at[i] - lo + n));
		granules_release(&g);
	}
}

/* Addresses of other granules are not said to hold something. */
static void test_says_no(void **state)
{
	struct granules g = {0};

	(void)state;
	granules_add(&g, taddr_of(0x1040));
	assert_true(have(&g, 0x107f, 0x1080));
	assert_false(have(&g, 0x1080, 0x2040));
	assert_false(have(&g, 0x1000, 0x1040));
	assert_false(have(&g, 0x2040, 0x2080));
	assert_false(have(&g, 0x1040, 0x1040));
	granules_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_never_misses),
		cmocka_unit_test(test_says_no),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
