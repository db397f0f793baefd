/* SPDX-License-Identifier: MIT */
/* Histograms over time: intervals, what is missing or removed, limits, the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tracer/pictures/heatmap_svg.h"
#include "vm/agg.h"

#define QUANTIZE_ZERO 63
#define SECOND	      UINT64_C(1000000000)

static const struct program_agg quantize = {.func = AGG_quantize, .words = 127};

static uint64_t values[AGG_WORDS_MAX];

/* A snapshot in which these buckets have these counts. */
static void look(struct heatmap *h, uint64_t time, size_t n,
		 const uint64_t (*counts)[2])
{
	memset(values, 0, sizeof(values));
	for (size_t i = 0; i < n; i++)
		values[counts[i][0]] = counts[i][1];
	heatmap_add(h, values);
	heatmap_end(h, time);
}

static int64_t total(const struct heatmap *h)
{
	int64_t sum = 0;

	for (size_t i = 0; i < h->cells.len; i++)
		sum += h->cells.data[i].count;
	return sum;
}

static void check_cell(const struct heatmap *h, size_t i, uint32_t bucket,
		       int64_t count)
{
	assert_true(i < h->cells.len);
	assert_int_equal(h->cells.data[i].bucket, bucket);
	assert_int_equal(h->cells.data[i].count, count);
}

static void test_intervals(void **state)
{
	static const uint64_t first[][2] = {{70, 5}, {80, 1}},
			      second[][2] = {{70, 9}, {80, 1}};
	static const uint64_t rest[][2] = {{70, 3}}, third[][2] = {{70, 11}, {80, 2}};
	struct heatmap h;

	(void)state;
	heatmap_init(&h, &quantize, 100);
	look(&h, 200, 2, first);
	look(&h, 300, 2, second);
	look(&h, 400, 0, NULL); /* its thread was updating it */
	look(&h, 500, 2, third);
	memset(values, 0, sizeof(values));
	values[70] = 12; /* clear() removes one more than was seen */
	values[80] = 2;
	heatmap_remove(&h, values);
	look(&h, 600, 1, rest);
	heatmap_finish(&h);
	assert_int_equal(h.columns.len, 5);
	assert_int_equal(h.columns.data[0].from, 100);
	assert_int_equal(h.columns.data[4].to, 600);
	assert_int_equal(h.cells.len, 6);
	check_cell(&h, 0, 70, 5);
	check_cell(&h, 1, 80, 1);
	check_cell(&h, 2, 70, 4);
	assert_int_equal(h.columns.data[2].first, h.columns.data[3].first);
	check_cell(&h, 3, 70, 2);
	check_cell(&h, 4, 80, 1);
	check_cell(&h, 5, 70, 4);
	heatmap_release(&h);
}

/* However long it takes, and however many buckets there are. */
static void test_limits(void **state)
{
	struct program_agg linear = {.func = AGG_lquantize, .words = 60002};
	struct heatmap h;

	(void)state;
	heatmap_init(&h, &quantize, 0);
	for (uint64_t i = 1; i <= 10000; i++) {
		const uint64_t counts[][2] = {{64 + i % 3, i * 2}, {90, i}};

		look(&h, i, 2, counts);
		assert_true(h.columns.len < HEATMAP_COLUMNS);
	}
	heatmap_finish(&h);
	assert_true(h.columns.len > HEATMAP_COLUMNS / 4);
	assert_int_equal(h.columns.data[h.columns.len - 1].to, 10000);
	for (size_t i = 1; i < h.columns.len; i++)
		assert_int_equal(h.columns.data[i].from, h.columns.data[i - 1].to);
	/* the last counts of four buckets */
	assert_int_equal(total(&h), 2 * (10000 + 9999 + 9998) + 10000);
	heatmap_release(&h);

	heatmap_init(&h, &linear, 0);
	for (uint64_t i = 1; i <= 40; i++) {
		for (uint32_t k = 0; k < linear.words; k++)
			values[k] = i;
		heatmap_add(&h, values);
		heatmap_end(&h, i);
	}
	heatmap_finish(&h);
	assert_true(h.cells.len <= HEATMAP_CELLS);
	assert_int_equal(total(&h), 40 * 60002);
	heatmap_release(&h);
}

static size_t count_of(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, what)); p++)
		n++;
	return n;
}

static void draw(const struct heatmap *h, const char *unit, struct strbuf *svg)
{
	const struct heatmap_picture p = {
		.map = h, .title = "<t>", .unit = unit, .began = "b"};

	strbuf_reset(svg);
	heatmap_svg_write(&p, svg);
}

static void test_file(void **state)
{
	static const uint64_t counts[][2] = {{0, 7},
					     {QUANTIZE_ZERO - 3, 1},
					     {QUANTIZE_ZERO, 2},
					     {QUANTIZE_ZERO + 11, 100}};
	static const char *const expected[] = {
		"<title>&lt;t&gt;</title>", "data-most=\"100\"", "data-scale=\"log\"",
		/* rows */
		"data-n=\"-7 to -4\"", "data-n=\"0\"", "data-n=\"1024 to 2047\"",
		"data-n=\"-9223372036854775808 to -4611686018427387904\"",

		/* cells and columns */
		"<g data-n=\"0 s to 2 s\">", "class=\"l15\"", "data-v=\"100\"",
		"data-v=\"7\"", ">s since b</text>"};
	const struct program_agg linear = {.func = AGG_lquantize,
					   .words = 1002,
					   .param = 10 | UINT64_C(1) << 32 |
						    UINT64_C(1000) << 48};
	static const uint64_t many[][2] = {{0, 1}, {5, 1}, {1001, 1}};
	struct strbuf svg = {0};
	struct heatmap h;

	(void)state;
	heatmap_init(&h, &quantize, 0);
	look(&h, 2 * SECOND, 4, counts);
	heatmap_finish(&h);
	draw(&h, "", &svg);
	for (size_t i = 0; i < ARRAY_LEN(expected); i++)
		if (!strstr(svg.data, expected[i]))
			fail_msg("no %s in %.6000s", expected[i], svg.data);
	draw(&h, "ns", &svg);
	assert_non_null(
		strstr(svg.data, "data-n=\"1.024 \xc2\xb5s to 2.047 \xc2\xb5s\""));
	draw(&h, "bytes", &svg);
	assert_non_null(strstr(svg.data, "data-n=\"1 KiB to 1.999 KiB\""));
	draw(&h, "\"]]><script>\x1b", &svg);
	assert_int_equal(count_of(svg.data, "<script>"), 1);
	assert_null(strchr(svg.data, '\x1b'));
	heatmap_release(&h);

	/* more buckets than rows: neighbours share one */
	heatmap_init(&h, &linear, 0);
	look(&h, SECOND / 2, 3, many);
	heatmap_finish(&h);
	draw(&h, "", &svg);
	assert_true(count_of(svg.data, "data-n=") <= HEATMAP_ROWS + 1);
	assert_non_null(strstr(svg.data, "data-n=\"&lt; 17\""));
	assert_int_equal(count_of(svg.data, "data-v=\"2\""), 1);
	assert_int_equal(count_of(svg.data, "data-v="), 2);
	assert_non_null(strstr(svg.data, ">ms since b</text>"));
	heatmap_release(&h);
	strbuf_release(&svg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
