/* SPDX-License-Identifier: MIT */
/*
 * What clear() and trunc() took away. An element of a shard is written by its
 * owner alone, at any moment, so it cannot be reset without losing updates; but
 * what it held when it was printed can be remembered here, and subtracted from
 * what it holds later. That works for every function that adds up (all but min
 * and max).
 *
 * A truncated element is also named to its owner by the sequence it had (see
 * agg_take()). If the owner updates it meanwhile it goes on adding, and what is
 * remembered is subtracted; otherwise it begins anew, or gives its place to
 * another key, and what is remembered is forgotten.
 */
#ifndef TRACER_OUTPUT_AGG_BASELINE_H
#define TRACER_OUTPUT_AGG_BASELINE_H

#include "vm/agg.h"
#include "vm/base/host/map.h"
#include "vm/base/host/strbuf.h"

struct agg_baseline_mark;

/* A zeroed one is empty and ready. */
struct agg_baseline {
	struct {
		struct agg_baseline_mark *data;
		size_t len, cap;
	} marks;
	struct strbuf bytes; /* keys and values; all offsets multiples of 8 */
	struct map first;    /* hash -> number of the first mark of its chain + 1 */
};

/* What an element held, and when. */
struct agg_baseline_taken {
	uint32_t slot, agg, words;
	bool is_truncated; /* else cleared */
	uint64_t sequence;
	uint64_t time;	 /* of taking it away */
	const void *key; /* key_size bytes */
	size_t key_size;
	const uint64_t *value;
};

bool agg_baseline_can(const struct program_agg *a);
void agg_baseline_release(struct agg_baseline *b);
/* In place of an earlier mark of the same element. */
void agg_baseline_put(struct agg_baseline *b, const struct agg_baseline_taken *t);
/*
 * What is to be subtracted from the value of an element; NULL: nothing.
 * *is_untouched: there was no update since.
 */
const uint64_t *agg_baseline_find(struct agg_baseline *b, uint32_t slot,
				  const struct agg_entry_view *e, bool *is_untouched);
void agg_baseline_subtract(const struct program_agg *a, uint64_t *value,
			   const uint64_t *base);
/*
 * Truncated elements that were taken before a time: no owner can still be in
 * the middle of an update that began earlier.
 */
void agg_baseline_purge(struct agg_baseline *b, uint64_t before);

#endif
