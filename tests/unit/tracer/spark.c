/* SPDX-License-Identifier: MIT */
/* Histograms in few columns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tracer/live/spark.h"

#define ZERO 63 /* quantize's bucket of 0; of 4 it is three further */

static const struct program_agg quantize = {.func = AGG_quantize, .words = 127};

static void test_shares(void **state)
{
	uint64_t words[127] = {[ZERO] = 1, [ZERO + 3] = 2, [ZERO + 4] = 1000000};
	uint16_t shares[127];

	(void)state;
	spark_shares(&quantize, words, shares);
	assert_int_equal(shares[ZERO], 1);
	assert_int_equal(shares[ZERO + 1], 0);
	assert_int_equal(shares[ZERO + 4], 1000);
	words[ZERO + 4] = (uint64_t)-5; /* what a clear() left of a damaged one */
	spark_shares(&quantize, words, shares);
	assert_int_equal(shares[ZERO], 333);
	assert_int_equal(shares[ZERO + 3], 667);
	assert_int_equal(shares[ZERO + 4], 0);
	memset(words, 0xff, sizeof(words));
	spark_shares(&quantize, words, shares);
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		assert_int_equal(shares[i], 0);
		words[i] = INT64_MAX;
	}
	spark_shares(&quantize, words, shares);
	assert_int_equal(shares[5], 8);
}

static void test_cells(void **state)
{
	uint16_t shares[127] = {[10] = 100, [12] = 500, [14] = 1};
	struct spark_range r = {0}, all = {true, 0, 126};
	char text[SPARK_CELLS + 1];

	(void)state;
	assert_int_equal(spark_cells(&r, shares, text), 0);
	assert_string_equal(text, "");
	spark_range_add(&r, 127, shares);
	assert_int_equal(r.first, 10);
	assert_int_equal(r.last, 14);
	assert_int_equal(spark_cells(&r, shares, text), 5);
	assert_string_equal(text, "- @ .");
	/* four buckets in a cell */
	assert_int_equal(spark_cells(&all, shares, text), 32);
	assert_string_equal(text, "  -@                            ");
}

static void test_labels(void **state)
{
	const struct program_agg linear = {
		.func = AGG_lquantize, .words = 4, .param = 0};
	char text[SPARK_BAR];

	(void)state;
	spark_label(&quantize, ZERO + 3, text);
	assert_string_equal(text, "4");
	spark_label(&quantize, 0, text);
	assert_string_equal(text, "-4611686018427387904");
	spark_label(&linear, 0, text);
	assert_memory_equal(text, "< ", 2);
	spark_label(&linear, 3, text);
	assert_memory_equal(text, ">= ", 3);
	spark_bar(&quantize, ZERO + 11, 250, text);
	assert_string_equal(text, "                  1024 |@@@@@@@@@@"
				  "                                25.0%");
	spark_bar(&quantize, 0, 1000, text);
	assert_int_equal(strlen(text), 22 + 2 + 40 + 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_cells),
		cmocka_unit_test(test_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
