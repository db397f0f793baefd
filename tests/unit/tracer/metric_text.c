/* SPDX-License-Identifier: MIT */
/* Names, labels and numbers of the metrics page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tracer/export/metric_text.h"

static void test_names(void **state)
{
	static const struct {
		const char *name, *metric;
	} cases[] = {
		{"_", "dtrace_aggregation"},
		{"opens", "dtrace_opens"},
		{"bytes_total", "dtrace_bytes_total_"},
		{"a_count", "dtrace_a_count_"},
		{"a_bucket", "dtrace_a_bucket_"},
		{"a_bucket_", "dtrace_a_bucket_"},
		{"total", "dtrace_total"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf name = {0};

		metric_name(&name, cases[i].name);
		assert_string_equal(name.data, cases[i].metric);
		strbuf_release(&name);
	}
}

/* The forms that OpenMetrics 1.0 gives, and the bounds of quantize(). */
static void test_numbers(void **state)
{
	static const struct {
		double x;
		const char *text;
	} cases[] = {
		{0, "0.0"},
		{1, "1.0"},
		{-1, "-1.0"},
		{10, "10.0"},
		{0.1, "0.1"},
		{0.001, "0.001"},
		{0.00001, "1e-05"},
		{2.5, "2.5"},
		{100000, "100000.0"},
		{524287, "524287.0"},
		{1000000, "1e+06"},
		{1048575, "1.048575e+06"},
		{-4611686018427387904.0, "-4.611686018427388e+18"},
		{9223372036854775807.0, "9.223372036854775807e+18"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strbuf text = {0};

		metric_float(&text, cases[i].x);
		if (i + 1 < ARRAY_LEN(cases))
			assert_string_equal(text.data, cases[i].text);
		assert_true(strtod(text.data, NULL) == cases[i].x);
		strbuf_release(&text);
	}
}

static void test_labels(void **state)
{
	char bytes[METRIC_LABEL_MAX + 2];
	struct strbuf a = {0}, b = {0};

	(void)state;
	metric_label(&a, "a\"b\\c\nd\xff", 8, 0);
	assert_string_equal(a.data, "a\\\"b\\\\c\\nd\\\\xff");
	strbuf_reset(&a);
	memset(bytes, 'x', sizeof(bytes));
	metric_label(&a, bytes, METRIC_LABEL_MAX, 1);
	assert_int_equal(a.len, METRIC_LABEL_MAX);
	strbuf_reset(&a);
	metric_label(&a, bytes, sizeof(bytes), 1);
	bytes[sizeof(bytes) - 1] = 'y';
	metric_label(&b, bytes, sizeof(bytes), 1);
	assert_int_equal(a.len, METRIC_LABEL_MAX + 20);
	assert_string_not_equal(a.data, b.data);
	strbuf_release(&a);
	strbuf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
