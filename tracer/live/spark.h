/* SPDX-License-Identifier: MIT */
/*
 * Histograms as text of few columns: a row of cells, one for each bucket, or a bar for
 * each bucket.
 */
#ifndef TRACER_LIVE_SPARK_H
#define TRACER_LIVE_SPARK_H

#include "vm/program.h"

#define SPARK_CELLS 40
#define SPARK_BAR   96 /* bytes of a bar's line, with its end */

/*
 * The share of each of a->words buckets in the counts of words, in thousandths; at
 * least 1 of a bucket that counted. Negative counts are none.
 */
void spark_shares(const struct program_agg *a, const uint64_t *words, uint16_t *shares);

/* The buckets from the first to the last that one of some rows uses. Zero it. */
struct spark_range {
	bool is_any;
	uint32_t first, last;
};
void spark_range_add(struct spark_range *r, uint32_t n, const uint16_t *shares);

/*
 * A cell for each bucket of the range, or for several neighbours if there are more than
 * SPARK_CELLS: a blank for nothing, then darker the larger its part of the largest.
 * Returns their number; text is terminated.
 */
size_t spark_cells(const struct spark_range *r, const uint16_t *shares,
		   char text[SPARK_CELLS + 1]);
/* The value that a bucket begins with; "< " or ">= " if it has no other bound. */
void spark_label(const struct program_agg *a, uint32_t bucket, char text[32]);
/* "          1024 |@@@@@@@@            20.0%" */
void spark_bar(const struct program_agg *a, uint32_t bucket, uint16_t share,
	       char text[SPARK_BAR]);

#endif
