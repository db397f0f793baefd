/* SPDX-License-Identifier: MIT */
/*
 * A histogram over time: what each interval added to each bucket. An interval ends at a
 * snapshot of the aggregation. Memory is bounded: when there are too many columns,
 * neighbours are merged, and so are those that come after.
 *
 * A snapshot may lack an element that its thread is updating at that moment, so counts
 * are taken to only grow: what is missing is not subtracted, and what is there again
 * later is not added twice. Negative increments, which quantize() permits, are not shown.
 */
#ifndef TRACER_PICTURES_HEATMAP_H
#define TRACER_PICTURES_HEATMAP_H

#include "vm/program.h"

#define HEATMAP_COLUMNS 480	   /* merged to half of them when they would be more */
#define HEATMAP_CELLS	(1u << 20) /* the same, for cells */

/* What an interval added to a bucket. */
struct heatmap_cell {
	uint32_t bucket;
	int64_t count; /* > 0 */
};

struct heatmap_column {
	uint64_t from, to; /* ns of the clock that heatmap_end() is given */
	size_t first; /* of its cells, by bucket; the next column's first is the end */
};

struct heatmap {
	const struct program_agg *agg; /* a histogram; borrowed */
	struct {
		struct heatmap_column *data;
		size_t len, cap;
	} columns; /* by time, without gaps */
	struct {
		struct heatmap_cell *data;
		size_t len, cap;
	} cells;
	/* By bucket: the counts that columns have, less what clear() has removed; the
	 * sums of the snapshot that is being taken. */
	uint64_t *last, *now;
	int64_t *open;	     /* what the open column has so far */
	uint64_t from, to;   /* of the open column; to: its last snapshot */
	uint32_t nopen;	     /* intervals in it */
	uint32_t per_column; /* intervals in a full one */
};

/* start: when the first interval begins. */
void heatmap_init(struct heatmap *h, const struct program_agg *agg, uint64_t start);
void heatmap_release(struct heatmap *h);
/*
 * A snapshot: the values of all its rows are added (words: agg->words counts), then
 * heatmap_end() ends an interval at the time of the snapshot.
 */
void heatmap_add(struct heatmap *h, const uint64_t *words);
void heatmap_end(struct heatmap *h, uint64_t time);
/* clear() or trunc() has taken a row with these counts out of the aggregation. */
void heatmap_remove(struct heatmap *h, const uint64_t *words);
/* Closes the open column. No snapshot may follow. */
void heatmap_finish(struct heatmap *h);

#endif
