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
		{"", 0, 0},    {"", 5, 0},    {"abc", 0, 0},
		{"abc", 2, 2}, {"abc", 3, 3}, {"abc", 100, 3},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(str_len(cases[i].s, cases[i].max), cases[i].len);
}

/* Cut where it must be, terminated always, nothing written after. */
static void test_copy(void **state)
{
	static const struct {
		const char *s;
		size_t cap;
		const char *copy;
	} cases[] = {
		{"", 1, ""},	  {"a", 1, ""},	     {"a", 2, "a"},
		{"abc", 3, "ab"}, {"abc", 4, "abc"}, {"abc", 8, "abc"},
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

static void test_has_end(void **state)
{
	static const struct {
		const char *s, *end;
		bool is_end;
	} cases[] = {
		{"", "", true},		 {"a", "", true},
		{"", "a", false},	 {"x.so", ".so", true},
		{"x.so", "x.so", true},	 {"x.so", "yx.so", false},
		{"x.sox", ".so", false}, {".s", ".so", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(str_has_end(cases[i].s, cases[i].end),
				 cases[i].is_end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_len),
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_has_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
