/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "vm/base/base.h"
#include "vm/base/str.h"

static void test_len(void **state)
{
	static const struct {
		const char *s;
		size_t max, len;
	} cases[] = {
		{ "", 0, 0 },  { "", 5, 0 },	 { "abc", 0, 0 },
		{ "abc", 2, 2 }, { "abc", 3, 3 }, { "abc", 100, 3 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(str_len(cases[i].s, cases[i].max), cases[i].len);
}

static void test_compare(void **state)
{
	static const struct {
		const char *a, *b;
		size_t max;
		int sign;
	} cases[] = {
		{ "", "", 9, 0 },	     { "a", "", 9, 1 },
		{ "", "a", 9, -1 },	     { "abc", "abd", 9, -1 },
		{ "abc", "abd", 2, 0 },	     { "abc", "abd", 3, -1 },
		{ "abc", "ab", 9, 1 },	     { "abc", "ab", 2, 0 },
		{ "a\0x", "a\0y", 3, 0 },    { "\x80", "\x7f", 1, 1 },
		{ "same", "same", 4, 0 },    { "a", "b", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int r = str_compare(cases[i].a, cases[i].b, cases[i].max);

		assert_int_equal((r > 0) - (r < 0), cases[i].sign);
	}
}

/* Cut where it must be, terminated always, nothing written behind. */
static void test_copy(void **state)
{
	static const struct {
		const char *s;
		size_t cap;
		const char *copy;
	} cases[] = {
		{ "", 1, "" },	    { "a", 1, "" },	{ "a", 2, "a" },
		{ "abc", 3, "ab" }, { "abc", 4, "abc" }, { "abc", 8, "abc" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char dst[10];
		size_t n;

		memset(dst, '#', sizeof(dst));
		n = str_copy(dst, cases[i].cap, cases[i].s);
		assert_string_equal(dst, cases[i].copy);
		assert_int_equal(n, strlen(cases[i].copy));
		assert_int_equal(dst[n + 1], '#');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_len),
		cmocka_unit_test(test_compare),
		cmocka_unit_test(test_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
