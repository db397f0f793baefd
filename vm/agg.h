/* SPDX-License-Identifier: MIT */
/*
 * Aggregations: per-slot shards, each written by its owner only. Every entry
 * carries a sequence word (odd while written) and the epoch of its value;
 * agg_clear() raises the epoch of the aggregation, and an entry of an older
 * epoch counts as reset (clear) or absent (trunc) until its owner next writes it.
 */
#ifndef VM_AGG_H
#define VM_AGG_H

#include "vm/program.h"
#include "vm/state.h"

struct agg_entry_view {
	uint32_t agg;
	const void *key; /* tuple of key_size bytes, a copy valid during the call */
	size_t key_size;
	const uint64_t *value; /* program_agg.words words, likewise */
	bool is_reset;	       /* cleared since its last update: value is all initial */
	uint64_t sequence;     /* grows with each update */
	uint64_t removed;      /* the sequence named by agg_take(); 1: none */
};

/*
 * Calls each() for every live entry of the slot's shard, with a consistent
 * copy of it. Entries that stay busy are retried a bounded number of times;
 * then skipped, to be seen by the next walk. STATUS_BADFMT: the shard is damaged.
 */
int agg_walk(struct state *s, uint32_t slot, const void *image,
	     void (*each)(void *ctx, const struct agg_entry_view *e), void *ctx);

/* The value an element has before its first update (min and max differ from 0). */
void agg_initial(const struct program_agg *a, uint64_t *value);
/* Adds from (another shard's value of the same key) to into. */
void agg_merge(const struct program_agg *a, uint64_t *into, const uint64_t *from);

/* Keys stay, values are reset / elements vanish, in every shard. Consumer only. */
void agg_clear(struct state *s, uint32_t agg);
void agg_trunc(struct state *s, uint32_t agg);
/* trunc(@, n): one element vanishes from every shard until its next update. */
void agg_remove(struct state *s, uint32_t agg, const void *key, size_t key_size);

/* The most words a value may have. */
#define AGG_WORDS_MAX (65535u + 2u)
/* Words of a value; 0: the parameter makes no sense, or asks for too many. */
uint32_t agg_words(enum agg_func func, uint64_t param);

/* Parameter of llquantize; factor from the low 16 bits on. */
struct agg_llquantize {
	uint16_t factor, low, high, nsteps;
};

static inline uint64_t agg_llquantize_param(const struct agg_llquantize *q)
{
	return (uint64_t)q->factor | (uint64_t)q->low << 16 | (uint64_t)q->high << 32 |
	       (uint64_t)q->nsteps << 48;
}

/* What an element was seen to hold. */
struct agg_mark {
	uint32_t slot, agg;
	const void *key;
	size_t key_size;
	uint64_t sequence;
};
/*
 * The element vanishes from the slot's shard as it was seen: its next update
 * starts from the initial value. If its owner has updated it since, or is doing so, it
 * stays; agg_entry_view.removed shows the sequence.
 */
void agg_take(struct state *s, const struct agg_mark *mark);

/*
 * Lower bound of a bucket of a histogram; the first of lquantize and llquantize,
 * which has none, gives that of the second less 1. There are program_agg.words
 * buckets.
 */
int64_t agg_bucket_label(const struct program_agg *a, uint32_t bucket);

#endif
