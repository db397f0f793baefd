/* SPDX-License-Identifier: MIT */
/*
 * Histograms: the rows of quantize(), lquantize() and llquantize(), the bars of
 * agghist, the cells of aggpack, and their sort order.
 */
#ifndef TRACER_AGGS_HIST_H
#define TRACER_AGGS_HIST_H

#include "tracer/base/options.h"
#include "tracer/output/out.h"
#include "vm/program.h"

__extension__ typedef __int128 int128; /* counts times labels */
__extension__ typedef unsigned __int128 uint128;

/* The scale of bars. Zero it, add all counts, then finish it. */
struct hist_scale {
	bool has_negative, has_positive;
	bool is_utf8;
	bool is_single; /* each bar stands for an element, not for a bucket */
	uint128 total, most, divisor; /* a full bar is total / divisor counts */
};

/* One element's histogram, and by how much its counts are divided when printed. */
struct hist {
	const struct program_agg *agg;
	const uint64_t *value; /* agg->words counts */
	uint64_t factor;
};

bool hist_is(const struct program_agg *a);
/* Prints a newline, the header and the rows. Options: encoding, aggzoom. */
void hist_print(struct out *o, const struct hist *h, const struct options *opt);
/*
 * Order of two histograms of one kind: by the sum of label times count, then
 * by the count of the bucket whose label counts as 0. <0, 0, >0.
 */
int hist_compare(const struct program_agg *a, const uint64_t *left,
		 const uint64_t *right);

void hist_scale_add(struct hist_scale *s, uint64_t count);
void hist_scale_finish(struct hist_scale *s, const struct options *opt);
/* "|@@@   ": the bar of a count, with its axis and one blank after it. */
void hist_bar(struct out *o, const struct hist_scale *s, uint64_t count);
/* "value ------------- Distribution ------------- count" in its columns. */
void hist_header(struct out *o, const char *label, unsigned width);

/* A normalized count, signed. A factor of 0 means none. */
int64_t hist_divide(uint64_t count, uint64_t factor);

/* ---- hist_pack.c: one line for each element, one cell for each bucket ---- */

/* The buckets that all elements of an aggregation show. */
struct hist_pack {
	const struct program_agg *agg;
	bool has_any;
	uint32_t first, last;
	unsigned minwidth, maxwidth; /* of the labels at both ends */
};

/* aggpack applies to it: quantize and lquantize. */
bool hist_packs(const struct program_agg *a);
void hist_pack_add(struct hist_pack *p, const uint64_t *value);
void hist_pack_finish(struct hist_pack *p);
/* keys: the width of the keys' columns, 0 for none. */
void hist_pack_header(struct out *o, const struct hist_pack *p, unsigned keys);
void hist_pack_row(struct out *o, const struct hist_pack *p, const struct hist *h,
		   const struct options *opt);

#endif
