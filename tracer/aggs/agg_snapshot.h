/* SPDX-License-Identifier: MIT */
/*
 * The elements of one aggregation as they were when it was printed, so that a clear()
 * or trunc() after a printa() removes exactly what was printed.
 */
#ifndef TRACER_AGGS_AGG_SNAPSHOT_H
#define TRACER_AGGS_AGG_SNAPSHOT_H

#include "tracer/aggs/agg_baseline.h"

struct agg_snapshot_element {
	uint32_t slot; /* number of the source */
	uint32_t row;  /* of the snapshot, in the order of discovery */
	uint32_t agg;  /* the aggregation, or a variant of it */
	uint64_t sequence, removed, offset;
	size_t key_size, key, value; /* offsets */
};

struct agg_snapshot {
	bool is_wanted; /* the program clears or truncates the aggregation */
	uint64_t time;	/* ns of CLOCK_MONOTONIC, before the walk; 0: no snapshot yet */
	struct {
		struct agg_snapshot_element *data;
		size_t len, cap;
	} elements;
	struct strbuf bytes; /* keys and values; all offsets multiples of 8 */
};

void agg_snapshot_release(struct agg_snapshot *s);
/* Discards the last snapshot and begins a new one now. */
void agg_snapshot_begin(struct agg_snapshot *s);
void agg_snapshot_add(struct agg_snapshot *s, uint32_t slot, uint32_t row,
		      uint32_t words, const struct agg_entry_view *e);
/* Removes the elements whose row is marked. */
void agg_snapshot_drop(struct agg_snapshot *s, const bool *goes);
/* Element i as it was added. */
struct agg_entry_view agg_snapshot_view(const struct agg_snapshot *s, size_t i);

#endif
