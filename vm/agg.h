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
	uint64_t offset;       /* of the element in its shard */
};

/*
 * What a walk over all shards of a block needs. A chunk of the pool belongs to one
 * shard, once: so the work of a walk is bounded by the memory that the block has.
 */
struct agg_walk {
	struct state *state; /* all pointers are borrowed */
	const void *image;
	uint64_t *seen;		 /* agg_seen_words() words, 0 before the first slot */
	_Atomic uint32_t *table; /* agg_table_entries() words of any content */
	struct agg_copy *copy;	 /* agg_copy_bytes() bytes of any content */
	uint32_t tries;		 /* left for entries that are busy; 0 at first */
	void (*each)(void *ctx, const struct agg_entry_view *e);
	void *ctx;
};

size_t agg_seen_words(const struct state *s);
size_t agg_table_entries(const struct state *s);
size_t agg_copy_bytes(void);

/*
 * Calls each() for every live entry of the slot's shard, with a consistent
 * copy of it. Entries that stay busy are retried a bounded number of times;
 * then skipped, to be seen by the next walk. STATUS_BADFMT: the shard is damaged.
 */
int agg_walk(struct agg_walk *w, uint32_t slot);

/* The value an element has before its first update (min and max differ from 0). */
void agg_initial(const struct program_agg *a, uint64_t *value);
/* Adds from (another shard's value of the same key) to into. */
void agg_merge(const struct program_agg *a, uint64_t *into, const uint64_t *from);

/*
 * Keys stay, values are reset / elements vanish, in every shard of every exchange.
 * Consumer only. The caller renews every exchange then (state_renew()), as after
 * agg_remove() and agg_take().
 */
void agg_clear(struct state *s, uint32_t agg);
void agg_trunc(struct state *s, uint32_t agg);

/*
 * What the slot's shard holds now counts against aggsize no more: the consumer keeps it.
 * Consumer only; tracing goes on meanwhile.
 */
void agg_keep(struct state *s, uint32_t slot);

/*
 * Adds a value to the element of a key in a slot that the caller owns, as one update.
 * False: the shard is full.
 */
bool agg_absorb(struct state *s, uint32_t slot, const void *image,
		const struct agg_entry_view *e);

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

/* An element as it was seen. */
struct agg_mark {
	uint32_t slot, agg;
	const void *key;
	size_t key_size;
	uint64_t sequence, offset;
};
/*
 * The element vanishes from the slot's shard as it was seen: its next update
 * starts from the initial value. If its owner has updated it since, or is doing so, it
 * stays; agg_entry_view.removed shows the sequence.
 */
void agg_take(struct state *s, const struct agg_mark *mark);
/*
 * The element vanishes until its next update, whatever its owner has done since. tries:
 * as in struct agg_walk.
 */
void agg_remove(struct state *s, const struct agg_mark *mark, uint32_t *tries);

/*
 * Lower bound of a bucket of a histogram; the first of lquantize and llquantize,
 * which has none, gives that of the second less 1. There are program_agg.words
 * buckets.
 */
int64_t agg_bucket_label(const struct program_agg *a, uint32_t bucket);

#endif
