/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "vm/base/fmt.h"
#include "vm/base/status.h"

static void test_u64(void **state)
{
	static const struct {
		uint64_t v;
		unsigned base;
		const char *text;
	} cases[] = {
		{0, 10, "0"},
		{9, 10, "9"},
		{10, 10, "10"},
		{255, 16, "ff"},
		{256, 16, "100"},
		{8, 8, "10"},
		{35, 36, "z"},
		{UINT64_MAX, 10, "18446744073709551615"},
		{UINT64_MAX, 16, "ffffffffffffffff"},
		{UINT64_MAX, 8, "1777777777777777777777"},
		{UINT64_MAX, 2,
		 "1111111111111111111111111111111111111111111111111111111111111111"},
	};
	char buf[FMT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t n = fmt_u64(buf, cases[i].v, cases[i].base);

		assert_string_equal(buf, cases[i].text);
		assert_int_equal(n, strlen(cases[i].text));
	}
}

static void test_i64(void **state)
{
	static const struct {
		int64_t v;
		const char *text;
	} cases[] = {
		{0, "0"},
		{1, "1"},
		{-1, "-1"},
		{-10, "-10"},
		{INT64_MAX, "9223372036854775807"},
		{INT64_MIN, "-9223372036854775808"},
	};
	char buf[FMT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t n = fmt_i64(buf, cases[i].v);

		assert_string_equal(buf, cases[i].text);
		assert_int_equal(n, strlen(cases[i].text));
	}
}

static void test_parse(void **state)
{
	static const struct {
		const char *text;
		unsigned base;
		int result;
		uint64_t v;
	} cases[] = {
		{"0", 10, 0, 0},
		{"7", 8, 0, 7},
		{"8", 8, STATUS_INVAL, 0},
		{"00012", 10, 0, 12},
		{"ff", 16, 0, 255},
		{"FF", 16, 0, 255},
		{"fg", 16, STATUS_INVAL, 0},
		{"zz", 36, 0, 35 * 36 + 35},
		{"", 10, STATUS_INVAL, 0},
		{"-1", 10, STATUS_INVAL, 0},
		{"+1", 10, STATUS_INVAL, 0},
		{" 1", 10, STATUS_INVAL, 0},
		{"1 ", 10, STATUS_INVAL, 0},
		{"18446744073709551615", 10, 0, UINT64_MAX},
		{"18446744073709551616", 10, STATUS_RANGE, 0},
		{"99999999999999999999", 10, STATUS_RANGE, 0},
		{"ffffffffffffffff", 16, 0, UINT64_MAX},
		{"10000000000000000", 16, STATUS_RANGE, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t v = 0;
		int rc = fmt_parse_u64(cases[i].text, strlen(cases[i].text),
				       cases[i].base, &v);

		assert_int_equal(rc, cases[i].result);
		if (rc == 0)
			assert_true(v == cases[i].v);
	}
}

/* Only the first n bytes count, whatever follows. */
static void test_parse_length(void **state)
{
	uint64_t v = 0;

	(void)state;
	assert_int_equal(fmt_parse_u64("123x", 3, 10, &v), 0);
	assert_int_equal(v, 123);
	assert_int_equal(fmt_parse_u64("123", 1, 10, &v), 0);
	assert_int_equal(v, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_u64),
		cmocka_unit_test(test_i64),
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_parse_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
