/* SPDX-License-Identifier: MIT */
/*
 * aggpack: a histogram as one line, its buckets as cells of eight shades.
 *
 *	  key      min .---. max        | count
 *	    1 2147483648 : X : 8589934592 | 1
 */
#include "tracer/aggs/hist.h"
#include "vm/agg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZERO_BUCKET	63 /* of quantize */
#define LEVELS		7  /* above the lowest */
#define NEGATIVE_LEVELS 5
#define LABEL_LEAST	4

bool hist_packs(const struct program_agg *a)
{
	return a->func == AGG_quantize || a->func == AGG_lquantize;
}

void hist_pack_add(struct hist_pack *p, const uint64_t *value)
{
	for (uint32_t i = 0; i < p->agg->words; i++) {
		if (!value[i])
			continue;
		if (!p->has_any || i < p->first)
			p->first = i;
		if (!p->has_any || i > p->last)
			p->last = i;
		p->has_any = true;
	}
}

static unsigned label_width(const struct program_agg *a, uint32_t bucket)
{
	int n = snprintf(NULL, 0, "%" PRId64, agg_bucket_label(a, bucket));

	return n < LABEL_LEAST ? LABEL_LEAST : (unsigned)n;
}

void hist_pack_finish(struct hist_pack *p)
{
	if (p->agg->func == AGG_lquantize) {
		p->first = 0;
		p->last = p->agg->words - 1;
		p->minwidth = 7;
		p->maxwidth = 8;
		return;
	}
	if (!p->has_any)
		p->first = p->last = ZERO_BUCKET;
	if (p->first > 0 && p->first != ZERO_BUCKET)
		p->first--;
	if (p->last + 1 < p->agg->words)
		p->last++;
	p->minwidth = label_width(p->agg, p->first);
	p->maxwidth = label_width(p->agg, p->last);
}

void hist_pack_header(struct out *o, const struct hist_pack *p, unsigned keys)
{
	out_printf(o, "\n%*s %*s .", (int)keys, keys ? "key" : "", (int)p->minwidth,
		   "min");
	out_pad(o, '-', p->last - p->first + 1);
	out_printf(o, ". %-*s | count\n", (int)p->maxwidth, "max");
}

/* Terminals that are known not to speak UTF-8. */
static bool is_plain_terminal(void)
{
	static const char *const plain[] = {"sun", "sun-color", "dumb"};
	const char *term = getenv("TERM");

	for (size_t i = 0; term && i < ARRAY_LEN(plain); i++)
		if (strcmp(term, plain[i]) == 0)
			return true;
	return false;
}

static bool wants_utf8(const struct options *opt)
{
	if (opt->encoding == ENCODING_BY_TERMINAL)
		return !is_plain_terminal();
	return opt->encoding == ENCODING_UTF8;
}

/* |count| of the scale's total in levels, rounded. */
static unsigned level_of(const struct hist_scale *s, uint64_t count, unsigned levels)
{
	uint128 m = (int64_t)count < 0 ? 0 - count : count;

	return (unsigned)((2 * m * levels * s->divisor + s->total) / (2 * s->total));
}

static void put_cell(struct out *o, const struct hist_scale *s, uint64_t count,
		     bool is_utf8)
{
	static const char shades[] = "__xxxxXX", negative[] = "vvvvVV";
	char cell[3] = {(char)0xe2, (char)0x96, (char)0x81};

	if (!count) {
		out_putc(o, ' ');
	} else if ((int64_t)count < 0) {
		out_putc(o, negative[level_of(s, count, NEGATIVE_LEVELS)]);
	} else if (!is_utf8) {
		out_putc(o, shades[level_of(s, count, LEVELS)]);
	} else {
		cell[2] = (char)(0x81 + level_of(s, count, LEVELS));
		out_write(o, cell, sizeof(cell));
	}
}

static void put_low_label(struct out *o, const struct hist_pack *p)
{
	char text[32];

	if (p->agg->func == AGG_quantize) {
		out_printf(o, " %*" PRId64 " :", (int)p->minwidth,
			   agg_bucket_label(p->agg, p->first));
		return;
	}
	snprintf(text, sizeof(text), "< %" PRId64, agg_bucket_label(p->agg, 1));
	out_printf(o, "%8s :", text);
}

static void put_high_label(struct out *o, const struct hist_pack *p)
{
	int64_t label = agg_bucket_label(p->agg, p->last);
	char text[32];

	snprintf(text, sizeof(text), "%s%" PRId64,
		 p->agg->func == AGG_quantize ? "" : ">= ", label);
	out_printf(o, ": %-*s | ", (int)p->maxwidth, text);
}

void hist_pack_row(struct out *o, const struct hist_pack *p, const struct hist *h,
		   const struct options *opt)
{
	struct hist_scale scale = {0};
	bool is_utf8 = wants_utf8(opt);
	uint64_t sum = 0;

	for (uint32_t i = p->first; i <= p->last; i++) {
		hist_scale_add(&scale, h->value[i]);
		sum += h->value[i];
	}
	hist_scale_finish(&scale, opt);
	put_low_label(o, p);
	for (uint32_t i = p->first; i <= p->last; i++)
		put_cell(o, &scale, h->value[i], is_utf8);
	put_high_label(o, p);
	out_printf(o, "%" PRId64 "\n", hist_divide(sum, h->factor));
}
