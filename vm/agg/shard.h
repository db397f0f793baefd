/* SPDX-License-Identifier: MIT */
/*
 * Private to vm/: the aggregation shard of a slot. It is one range of memory,
 * [0, shard_bytes), paged over chunks of the pool. aggsize limits the nominal bytes
 * of elements added between two agg_keep(); 4m hold 170,000 small keys. The range has
 * room for many times aggsize, because the elements stay:
 *
 *	buckets[hash]    0        16K      32K        offset in the shard
 *	+---+            +--------+--------+---
 *	| o-+----------> |el|el|..|el|el|f|el ...     f: filler, so that an element
 *	+---+            +--------+--------+---          that can avoid it does not
 *	chunks[]  ->      chunk 9  chunk 4               lie in two chunks
 *
 * Elements are only ever added, then reused for other keys of the same bucket
 * once truncated. Each is:
 *
 *	| struct element | key, key_room bytes | value, words 64-bit words |
 *
 * sequence is 0 before the first update, odd during one, and two more after it. So a
 * count() needs no word of its own: its value is what the sequence had come to when
 * it was reset, negative, and what it counts is that + sequence / 2. One update is one
 * store, with no moment when it is half done.
 */
#ifndef VM_AGG_SHARD_H
#define VM_AGG_SHARD_H

#include "vm/block/layout.h"
#include "vm/program.h"

#define SHARD_FILLER	UINT32_MAX /* in place of the aggregation's number */
#define SHARD_CHAIN_MAX 65536u	   /* elements of a chain that the owner looks at */

struct element {
	_Atomic uint64_t sequence;
	_Atomic uint64_t removed; /* by the consumer: the sequence it took away */
	_Atomic uint64_t epoch;	  /* of the aggregation at the last update */
	_Atomic uint32_t next;	  /* link: offset / 8 + 1 */
	_Atomic uint32_t agg, hash;
	_Atomic uint32_t key_size, key_room, words;
};

struct shard {
	struct state *state;
	struct slot *slot;
	_Atomic uint32_t *buckets, *chunks;
};

/* What is looked for. */
struct agg_key {
	uint32_t agg, size;
	uint32_t hash;
	const void *bytes;
};

static inline struct shard shard_of(struct state *s, uint32_t slot)
{
	struct slot *p = layout_slot(s, slot);

	return (struct shard){s, p, layout_shard_buckets(s, p),
			      layout_shard_chunks(s, p)};
}

static inline uint32_t load32(const _Atomic uint32_t *p)
{
	return atomic_load_explicit(p, memory_order_relaxed);
}

static inline void store32(_Atomic uint32_t *p, uint32_t v)
{
	atomic_store_explicit(p, v, memory_order_relaxed);
}

static inline uint64_t load64(const _Atomic uint64_t *p)
{
	return atomic_load_explicit(p, memory_order_relaxed);
}

static inline void store64(_Atomic uint64_t *p, uint64_t v)
{
	atomic_store_explicit(p, v, memory_order_relaxed);
}

/* n bytes at the offset; NULL if they are not there or lie in two chunks. */
static inline void *shard_at(const struct shard *h, uint64_t offset, uint64_t n)
{
	uint64_t page = offset / CHUNK_BYTES, in = offset % CHUNK_BYTES;
	uint32_t chunk;

	if (page >= h->state->shard_chunks || n > CHUNK_BYTES - in)
		return NULL;
	chunk = load32(&h->chunks[page]);
	if (chunk == 0 || chunk > layout_open(h->state))
		return NULL;
	return layout_chunk(h->state, chunk - 1) + in;
}

static inline struct element *shard_element(const struct shard *h, uint64_t offset)
{
	if (offset % 8)
		return NULL;
	return shard_at(h, offset, sizeof(struct element));
}

static inline _Atomic uint64_t *shard_word(const struct shard *h, uint64_t offset)
{
	if (offset % 8)
		return NULL;
	return shard_at(h, offset, sizeof(uint64_t));
}

static inline uint64_t element_size(uint64_t key_room, uint64_t words)
{
	return sizeof(struct element) + key_room + words * 8;
}

struct agg_key agg_key_of(uint32_t agg, const void *bytes, uint32_t size);

/*
 * Offset of the key's element, or UINT64_MAX. *spare (if spare is not NULL) is
 * an element in its chain that its owner may reuse for it, or UINT64_MAX.
 */
uint64_t shard_find(const struct shard *h, const struct agg_key *k, uint64_t *spare);
/* Whether the element at the offset has the key. */
bool shard_has_key(const struct shard *h, uint64_t offset, const struct agg_key *k);
/* Copies n bytes at the offset to buf, across chunks; false: not all there. */
bool shard_read(const struct shard *h, uint64_t offset, void *buf, uint64_t n);
/* The reverse. */
bool shard_write(const struct shard *h, uint64_t offset, const void *buf, uint64_t n);
/*
 * A new element, complete but for its value, counted as used and not yet
 * linked. UINT64_MAX: no room.
 */
uint64_t shard_add(const struct shard *h, const struct agg_key *k,
		   const struct program_agg *a);
/* Links a new element into its bucket. */
void shard_link(const struct shard *h, const struct agg_key *k, uint64_t offset);

/* A walk over the elements of a shard; zero but for used at first. */
struct shard_cursor {
	uint64_t used; /* bytes of the shard in use, at most shard_bytes */
	uint64_t offset, next;
	bool is_damaged; /* the shard makes no sense at offset */
};

/*
 * The next element, past filler; its place is c->offset. NULL at the end of what is
 * used, or with is_damaged set.
 */
struct element *shard_next(const struct shard *h, struct shard_cursor *c);

/* Evens out the sequence that a dead owner may have left odd. */
void agg_settle(struct state *s, uint32_t slot);

struct agg_sample {
	uint64_t value, incr;
};
/*
 * One update by the slot's owner; *where is the element's offset.
 * False, and UINT64_MAX: the shard is full.
 */
bool agg_update(const struct shard *h, const struct program_agg *a,
		const struct agg_key *k, const struct agg_sample *x, uint64_t *where);

/*
 * The word that two are added to for one more update of the count() whose element is at
 * the offset; NULL: it is no such element, or must be reset first.
 */
_Atomic uint64_t *agg_counter(const struct shard *h, const void *image,
			      uint64_t offset);

/* quant.c: the histogram bucket of a value. */
uint32_t quant_bucket(const struct program_agg *a, int64_t value);

#endif
