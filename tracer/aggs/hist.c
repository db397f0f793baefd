/* SPDX-License-Identifier: MIT */
/*
 * Prints histograms. The width of a bar is |count| divided by the sum of all counts,
 * in 40 columns; with counts of both signs, 20 columns on each side of a centre line.
 */
#include "tracer/aggs/hist.h"
#include "vm/agg.h"
#include "vm/base/fmt.h"

#include <stdio.h>

#define BAR_WIDTH   40
#define HALF_WIDTH  20
#define ZERO_BUCKET 63 /* of quantize */

bool hist_is(const struct program_agg *a)
{
	return a->func == AGG_quantize || a->func == AGG_lquantize ||
	       a->func == AGG_llquantize;
}

static uint64_t magnitude(uint64_t count)
{
	return (int64_t)count < 0 ? -count : count;
}

int64_t hist_divide(uint64_t count, uint64_t factor)
{
	if (factor == 0)
		return (int64_t)count;
	if (factor == UINT64_MAX) /* INT64_MIN / -1 has no result */
		return (int64_t)(0 - count);
	return (int64_t)count / (int64_t)factor;
}

/* Rows shown. */
struct rows {
	uint32_t first, last;
};

/* The rows of a histogram without any count. */
static struct rows empty_rows(const struct program_agg *a)
{
	if (a->func == AGG_quantize)
		return (struct rows){ZERO_BUCKET - 1, ZERO_BUCKET + 1};
	return (struct rows){0, a->func == AGG_lquantize ? 2 : 1};
}

/* One empty row on each side of the used rows, within the buckets. */
static struct rows choose_rows(const struct hist *h)
{
	uint32_t n = h->agg->words, low = 0, high = n - 1;

	while (low < n && !h->value[low])
		low++;
	if (low == n)
		return empty_rows(h->agg);
	while (!h->value[high])
		high--;
	return (struct rows){low ? low - 1 : 0, high + 1 < n ? high + 1 : n - 1};
}

/* ---- bars ---- */

void hist_scale_add(struct hist_scale *s, uint64_t count)
{
	uint64_t m = magnitude(count);

	s->has_negative |= (int64_t)count < 0;
	s->has_positive |= (int64_t)count > 0;
	s->total += m;
	s->most = m > s->most ? m : s->most;
}

void hist_scale_finish(struct hist_scale *s, const struct options *opt)
{
	s->is_utf8 = opt->encoding == ENCODING_UTF8;
	s->divisor = 1;
	if (!opt->aggzoom)
		return;
	/* Zoomed, the longest bar takes 95 % of the width, or all of it. */
	s->total = s->most * 100;
	s->divisor = s->is_single && !s->has_negative ? 100 : 95;
}

/* Columns of a bar in a field of width, rounded half up. */
static size_t bar_length(const struct hist_scale *s, uint64_t count, unsigned width)
{
	if (!s->total)
		return 0;
	return (size_t)((2 * (uint128)magnitude(count) * width * s->divisor +
			 s->total) /
			(2 * s->total));
}

static void put_bar(struct out *o, size_t left, size_t bar, size_t right)
{
	out_pad(o, ' ', left);
	out_pad(o, '@', bar);
	out_pad(o, ' ', right);
}

/* U+2588 for each whole cell, then the block of as many eighths as are left. */
static void put_utf8_bar(struct out *o, const struct hist_scale *s, uint64_t count)
{
	uint128 eighths = !s->total ? 0
				    : (uint128)magnitude(count) * BAR_WIDTH * 8 *
					      s->divisor / s->total;
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

void hist_bar(struct out *o, const struct hist_scale *s, uint64_t count)
{
	bool is_mixed = s->has_negative && s->has_positive;
	size_t d = bar_length(s, count, is_mixed ? HALF_WIDTH : BAR_WIDTH);

	if (!s->has_negative) {
		out_putc(o, '|');
		if (s->is_utf8)
			put_utf8_bar(o, s, count);
		else
			put_bar(o, 0, d, BAR_WIDTH - d);
	} else if (!is_mixed) {
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

/* ---- blocks ---- */

static void print_label(struct out *o, const struct program_agg *a, uint32_t bucket)
{
	bool has_ends = a->func != AGG_quantize;
	const char *sign = "";
	char text[FMT_MAX + 4];
	int n;

	if (has_ends && bucket == 0)
		sign = "< ";
	else if (has_ends && bucket == a->words - 1)
		sign = ">= ";
	/* The label of the first bucket: less than the bound of the second. */
	n = snprintf(text, sizeof(text), "%s%lld", sign,
		     (long long)agg_bucket_label(a, bucket + (*sign == '<')));
	out_field(o, text, (size_t)n, 16, false);
	out_putc(o, ' ');
}

void hist_header(struct out *o, const char *label, unsigned width)
{
	out_printf(o, "\n%*s %41s %-9s\n", (int)width, label,
		   "------------- Distribution -------------", "count");
}

void hist_print(struct out *o, const struct hist *h, const struct options *opt)
{
	struct rows rows = choose_rows(h);
	struct hist_scale scale = {0};
	char count[FMT_MAX];

	for (uint32_t i = rows.first; i <= rows.last; i++)
		hist_scale_add(&scale, h->value[i]);
	hist_scale_finish(&scale, opt);
	hist_header(o, "value", 16);
	for (uint32_t i = rows.first; i <= rows.last; i++) {
		size_t n = fmt_i64(count, hist_divide(h->value[i], h->factor));

		print_label(o, h->agg, i);
		hist_bar(o, &scale, h->value[i]);
		out_field(o, count, n, 9, true);
		out_putc(o, '\n');
	}
}

/* ---- order ---- */

/* The factor of a bucket's count when histograms are compared. */
static int64_t weight(const struct program_agg *a, uint32_t bucket)
{
	return agg_bucket_label(a, bucket) +
	       (a->func == AGG_lquantize && bucket == a->words - 1);
}

/* Of lquantize, also one of the ends: "< 1" or ">= -1". */
static bool holds_zero(const struct program_agg *a, uint32_t bucket)
{
	if (a->func == AGG_quantize)
		return bucket == ZERO_BUCKET;
	if (a->func == AGG_llquantize)
		return bucket == 0;
	return weight(a, bucket) == 0;
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
