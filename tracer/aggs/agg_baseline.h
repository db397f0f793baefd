/* SPDX-License-Identifier: MIT */
/*
 * The baseline of each element that clear() or trunc() removed. Only the owner of a
 * shard writes its elements, at any moment, so nobody else can reset one without
 * losing updates. The consumer keeps the value that was printed instead, and subtracts
 * it from later values. This works for every function that adds up (all but min and
 * max).
 *
 * A truncation also tells the owner the sequence that the element had (agg_take()). If
 * the owner updated it meanwhile, the element goes on and the baseline is subtracted.
 * Otherwise the element starts again at zero, or another key takes its place, and the
 * baseline is dropped.
 */
#ifndef TRACER_AGGS_AGG_BASELINE_H
#define TRACER_AGGS_AGG_BASELINE_H

#include "vm/agg.h"
#include "vm/base/host/map.h"
#include "vm/base/host/strbuf.h"

struct agg_baseline_mark;

/* Zero-initialized: empty. */
struct agg_baseline {
	struct {
		struct agg_baseline_mark *data;
		size_t len, cap;
	} marks;
	struct strbuf bytes; /* keys and values; all offsets multiples of 8 */
	struct map first;    /* hash -> number of the first mark of its chain + 1 */
	uint64_t salt;	     /* of the hashes: targets choose the keys */
};

/* What an element held, and when. */
struct agg_baseline_taken {
	uint32_t slot; /* number of the source */
	uint32_t agg, words;
	bool is_truncated; /* else cleared */
	uint64_t sequence;
	uint64_t time;	 /* when it was removed */
	const void *key; /* key_size bytes */
	size_t key_size;
	const uint64_t *value;
};

bool agg_baseline_can(const struct program_agg *a);
void agg_baseline_release(struct agg_baseline *b);
/* Replaces an earlier mark of the same element. */
void agg_baseline_put(struct agg_baseline *b, const struct agg_baseline_taken *t);
/*
 * The value to subtract from an element; NULL: none. *is_untouched: the owner has not
 * updated the element since.
 */
const uint64_t *agg_baseline_find(struct agg_baseline *b, uint32_t slot,
				  const struct agg_entry_view *e, bool *is_untouched);
void agg_baseline_subtract(const struct program_agg *a, uint64_t *value,
			   const uint64_t *base);
/* Drops the marks of sources that go: n ascending numbers. */
void agg_baseline_forget(struct agg_baseline *b, const uint32_t *numbers, size_t n);
/*
 * Drops the marks of elements truncated before that time: no owner can still be inside
 * an update that began earlier.
 */
void agg_baseline_purge(struct agg_baseline *b, uint64_t before);

#endif
