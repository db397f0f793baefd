/* SPDX-License-Identifier: MIT */
/*
 * Printing of histograms. A bar is |count| of the sum of all, in 40 columns;
 * of both signs, in 20 to each side of a centre line.
 */
#include "tracer/hist.h"
#include "vm/agg.h"
#include "vm/base/fmt.h"

#include <stdio.h>

#define BAR_WIDTH   40
#define HALF_WIDTH  20
#define ZERO_BUCKET 63 /* of quantize */

__extension__ typedef __int128 int128; /* counts times labels */
__extension__ typedef unsigned __int128 uint128;

enum sign { NOT_NEGATIVE, NOT_POSITIVE, MIXED };

struct hist {
	const struct program_agg *agg;
	const uint64_t *value;
	uint32_t first, last; /* rows shown */
	enum sign sign;
	/* The count of a full bar, as a fraction. */
	uint128 total, divisor;
	bool is_utf8;
};

/* lquantize: the lower bound of bucket i >= 1; base, step and levels from param. */
static int64_t lquantize_bound(const struct program_agg *a, uint32_t i)
{
	int64_t base = (int32_t)a->param;
	int64_t step = a->param >> 32 & 0xffff;

	return base + (int64_t)(i - 1) * step;
}

bool hist_is(const struct program_agg *a)
{
	return a->func == AGG_quantize || a->func == AGG_lquantize;
}

static uint64_t magnitude(uint64_t count)
{
	return (int64_t)count < 0 ? -count : count;
}

/* One empty row on each side of what is there, within the buckets. */
static void choose_rows(struct hist *h)
{
	uint32_t n = h->agg->words, low = 0, high = n - 1;

	while (low < n && !h->value[low])
		low++;
	if (low == n) {
		h->first = h->agg->func == AGG_quantize ? ZERO_BUCKET - 1 : 0;
		h->last = h->first + 2 < n ? h->first + 2 : n - 1;
		return;
	}
	while (!h->value[high])
		high--;
	h->first = low ? low - 1 : 0;
	h->last = high + 1 < n ? high + 1 : n - 1;
}

static void measure(struct hist *h, bool zoom)
{
	bool has_negative = false, has_positive = false;
	uint128 total = 0, most = 0;

	for (uint32_t i = h->first; i <= h->last; i++) {
		uint64_t m = magnitude(h->value[i]);

		has_negative |= (int64_t)h->value[i] < 0;
		has_positive |= (int64_t)h->value[i] > 0;
		total += m;
		most = m > most ? m : most;
	}
	h->sign = !has_negative ? NOT_NEGATIVE : has_positive ? MIXED : NOT_POSITIVE;
	/* Zoomed, the longest bar takes 95 % of the width. */
	h->total = zoom ? most * 100 : total;
	h->divisor = zoom ? 95 : 1;
}

/* Columns of a bar in a field of width, rounded half up. */
static size_t bar_length(const struct hist *h, uint64_t count, unsigned width)
{
	if (!h->total)
		return 0;
	return (size_t)((2 * (uint128)magnitude(count) * width * h->divisor +
			 h->total) /
			(2 * h->total));
}

static void put_bar(struct out *o, size_t left, size_t bar, size_t right)
{
	out_pad(o, ' ', left);
	out_pad(o, '@', bar);
	out_pad(o, ' ', right);
}

/* U+2588 for each whole cell, then the block of as many eighths as are left. */
static void put_utf8_bar(struct out *o, const struct hist *h, uint64_t count)
{
	uint128 eighths = !h->total ? 0
				    : (uint128)magnitude(count) * BAR_WIDTH * 8 *
					      h->divisor / h->total;
	size_t whole = (size_t)(eighths / 8), part = (size_t)(eighths % 8);
	char cell[3] = {(char)0xe2, (char)0x96, (char)0x88};

	for (size_t i = 0; i < whole; i++)
		out_write(o, cell, sizeof(cell));
	if (part) {
		cell[2] = (char)(0x88 + 8 - part);
		out_write(o, cell, sizeof(cell));
	}
	out_pad(o, ' ', BAR_WIDTH - whole - (part != 0));
}

/* The bar, its axis and the blank before the count. */
static void print_bar(struct out *o, const struct hist *h, uint64_t count)
{
	size_t d = bar_length(h, count, h->sign == MIXED ? HALF_WIDTH : BAR_WIDTH);

	if (h->sign == NOT_NEGATIVE) {
		out_putc(o, '|');
		if (h->is_utf8)
			put_utf8_bar(o, h, count);
		else
			put_bar(o, 0, d, BAR_WIDTH - d);
	} else if (h->sign == NOT_POSITIVE) {
		put_bar(o, BAR_WIDTH - d, d, 0);
		out_putc(o, '|');
	} else if ((int64_t)count <= 0) {
		put_bar(o, HALF_WIDTH - d, d, 0);
		out_putc(o, '|');
		out_pad(o, ' ', HALF_WIDTH);
	} else {
		out_pad(o, ' ', HALF_WIDTH);
		out_putc(o, '|');
		put_bar(o, 0, d, HALF_WIDTH - d);
	}
	out_putc(o, ' ');
}

static void print_label(struct out *o, const struct hist *h, uint32_t bucket)
{
	char text[FMT_MAX + 4];
	int n;

	if (h->agg->func == AGG_quantize)
		n = snprintf(text, sizeof(text), "%lld",
			     (long long)agg_bucket_label(h->agg, bucket));
	else if (bucket == 0)
		n = snprintf(text, sizeof(text), "< %lld",
			     (long long)lquantize_bound(h->agg, 1));
	else
		n = snprintf(text, sizeof(text), "%s%lld",
			     bucket == h->agg->words - 1 ? ">= " : "",
			     (long long)lquantize_bound(h->agg, bucket));
	out_field(o, text, (size_t)n, 16, false);
	out_putc(o, ' ');
}

void hist_print(struct out *o, const struct program_agg *a, const uint64_t *value,
		const struct options *opt)
{
	struct hist h = {.agg = a, .value = value};
	char count[FMT_MAX];

	h.is_utf8 = opt->encoding == ENCODING_UTF8;
	choose_rows(&h);
	measure(&h, opt->aggzoom != 0);
	out_printf(o, "\n%16s %41s %-9s\n", "value",
		   "------------- Distribution -------------", "count");
	for (uint32_t i = h.first; i <= h.last; i++) {
		print_label(o, &h, i);
		print_bar(o, &h, value[i]);
		out_field(o, count, fmt_i64(count, (int64_t)value[i]), 9, true);
		out_putc(o, '\n');
	}
}

/* What a bucket's count is multiplied with when histograms are compared. */
static int64_t weight(const struct program_agg *a, uint32_t bucket)
{
	if (a->func == AGG_quantize)
		return agg_bucket_label(a, bucket);
	if (bucket == 0)
		return lquantize_bound(a, 1) - 1;
	return lquantize_bound(a, bucket) + (bucket == a->words - 1);
}

static bool holds_zero(const struct program_agg *a, uint32_t bucket)
{
	if (a->func == AGG_quantize)
		return bucket == ZERO_BUCKET;
	return bucket > 0 && lquantize_bound(a, bucket) == 0;
}

int hist_compare(const struct program_agg *a, const uint64_t *left,
		 const uint64_t *right)
{
	int128 lsum = 0, rsum = 0;
	int64_t lzero = 0, rzero = 0;

	for (uint32_t i = 0; i < a->words; i++) {
		lsum += (int128)weight(a, i) * (int64_t)left[i];
		rsum += (int128)weight(a, i) * (int64_t)right[i];
		if (holds_zero(a, i)) {
			lzero = (int64_t)left[i];
			rzero = (int64_t)right[i];
		}
	}
	if (lsum != rsum)
		return lsum < rsum ? -1 : 1;
	return (lzero > rzero) - (lzero < rzero);
}
