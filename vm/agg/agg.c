/* SPDX-License-Identifier: MIT */
/*
 * Updating aggregations. The owner of a shard never waits: it makes the
 * element's sequence odd, writes, makes it even. The reader's side is
 * agg_walk.c.
 */
#include "vm/agg.h"
#include "vm/agg/shard.h"

#define NONE UINT64_MAX

__extension__ typedef unsigned __int128 uint128; /* multiplied only, not divided */

static uint64_t initial_word(uint32_t func)
{
	if (func == AGG_min)
		return INT64_MAX;
	return func == AGG_max ? (uint64_t)INT64_MIN : 0;
}

void agg_initial(const struct program_agg *a, uint64_t *value)
{
	for (uint32_t i = 0; i < a->words; i++)
		value[i] = initial_word(a->func);
}

/* Word merged with another value of it, for all functions. */
static uint64_t merge_word(uint32_t func, uint64_t old, uint64_t x)
{
	if (func == AGG_min)
		return (int64_t)x < (int64_t)old ? x : old;
	if (func == AGG_max)
		return (int64_t)x > (int64_t)old ? x : old;
	return old + x;
}

/* The 128-bit sum at w[0], w[1] with another one added. */
static void add_wide(uint64_t *w, uint64_t low, uint64_t high)
{
	w[1] += high + (w[0] + low < low);
	w[0] += low;
}

void agg_merge(const struct program_agg *a, uint64_t *into, const uint64_t *from)
{
	if (a->func == AGG_stddev) {
		into[0] += from[0];
		into[1] += from[1];
		add_wide(into + 2, from[2], from[3]);
		return;
	}
	for (uint32_t i = 0; i < a->words; i++)
		into[i] = merge_word(a->func, into[i], from[i]);
}

static void update_word(const struct shard *h, uint64_t value_at, uint32_t i,
			uint32_t func, uint64_t x)
{
	_Atomic uint64_t *w = shard_word(h, value_at + (uint64_t)i * 8);

	if (w)
		store64(w, merge_word(func, load64(w), x));
}

static void add_square(const struct shard *h, uint64_t at, uint64_t x)
{
	uint64_t value = (int64_t)x < 0 ? 0 - x : x;
	uint128 square = (uint128)value * value;
	_Atomic uint64_t *low = shard_word(h, at), *high = shard_word(h, at + 8);
	uint64_t sum[2];

	if (!low || !high)
		return;
	sum[0] = load64(low);
	sum[1] = load64(high);
	add_wide(sum, (uint64_t)square, (uint64_t)(square >> 64));
	store64(low, sum[0]);
	store64(high, sum[1]);
}

static void update_value(const struct shard *h, const struct program_agg *a,
			 uint64_t value_at, const struct agg_sample *x)
{
	switch (a->func) {
	case AGG_count: /* the sequence holds the value */
		break;
	case AGG_avg:
		update_word(h, value_at, 0, a->func, 1);
		update_word(h, value_at, 1, a->func, x->value);
		break;
	case AGG_stddev:
		update_word(h, value_at, 0, a->func, 1);
		update_word(h, value_at, 1, a->func, x->value);
		add_square(h, value_at + 16, x->value);
		break;
	case AGG_quantize:
	case AGG_lquantize:
	case AGG_llquantize:
		update_word(h, value_at, quant_bucket(a, (int64_t)x->value), a->func,
			    x->incr);
		break;
	default:
		update_word(h, value_at, 0, a->func, x->value);
	}
}

static void reset_value(const struct shard *h, const struct program_agg *a,
			uint64_t value_at, uint64_t sequence)
{
	uint64_t x = a->func == AGG_count ? 0 - sequence / 2 : initial_word(a->func);

	for (uint32_t i = 0; i < a->words; i++) {
		_Atomic uint64_t *w = shard_word(h, value_at + (uint64_t)i * 8);

		if (!w)
			return;
		store64(w, x);
	}
}

/* The element gets another key; only under an odd sequence. */
static void rekey(const struct shard *h, uint64_t offset, const struct agg_key *k)
{
	struct element *e = shard_element(h, offset);

	h->slot->rekeyed++;
	store32(&e->hash, k->hash);
	store32(&e->key_size, k->size);
	shard_write(h, offset + sizeof(*e), k->bytes, k->size);
}

_Atomic uint64_t *agg_counter(const struct shard *h, const void *image, uint64_t offset)
{
	struct element *e = shard_element(h, offset);
	uint32_t agg = e ? load32(&e->agg) : UINT32_MAX;
	uint64_t sequence;

	if (agg >= program_count(image, SECTION_AGG))
		return NULL;
	sequence = load64(&e->sequence);
	if (sequence & 1 ||
	    load64(&e->epoch) != load64(&layout_epochs(h->state, agg)->current) ||
	    load64(&e->removed) == sequence)
		return NULL;
	return &e->sequence;
}

/* An element that its owner is updating. */
struct update {
	struct element *element;
	uint64_t offset, value_at, sequence;
	bool is_new, is_reset;
};

/* Finds or makes the key's element, and begins an update; false: the shard is full. */
static inline bool begin(const struct shard *h, const struct program_agg *a,
			 const struct agg_key *k, struct update *u)
{
	uint64_t epoch = load64(&layout_epochs(h->state, k->agg)->current);
	uint64_t spare, offset = shard_find(h, k, &spare);
	bool is_reused = false;
	struct element *e;

	u->is_new = false;
	if (offset == NONE) {
		is_reused = spare != NONE;
		u->is_new = !is_reused;
		offset = is_reused ? spare : shard_add(h, k, a);
	}
	e = offset == NONE ? NULL : shard_element(h, offset);
	u->element = e;
	u->offset = e ? offset : NONE;
	if (!e)
		return false;
	u->sequence = load64(&e->sequence);
	store64(&h->slot->updated, offset);
	store64(&e->sequence, u->sequence | 1);
	atomic_thread_fence(memory_order_release);
	if (is_reused)
		rekey(h, offset, k);
	u->value_at = offset + sizeof(*e) + load32(&e->key_room);
	u->is_reset = u->is_new || is_reused || load64(&e->epoch) != epoch ||
		      load64(&e->removed) == u->sequence;
	if (u->is_reset) {
		reset_value(h, a, u->value_at, u->sequence);
		store64(&e->epoch, epoch);
		store64(&e->removed, 1); /* shows that this was done */
	}
	return true;
}

static inline void end(const struct shard *h, const struct agg_key *k,
		       const struct update *u)
{
	atomic_store_explicit(&u->element->sequence, (u->sequence | 1) + 1,
			      memory_order_release);
	if (u->is_new)
		shard_link(h, k, u->offset);
}

bool agg_update(const struct shard *h, const struct program_agg *a,
		const struct agg_key *k, const struct agg_sample *x, uint64_t *where)
{
	struct update u;
	bool done = begin(h, a, k, &u);

	*where = u.offset;
	if (!done)
		return false;
	update_value(h, a, u.value_at, x);
	end(h, k, &u);
	return true;
}

/* Merges a value into that of an element that is being updated. */
static void merge_value(const struct shard *h, const struct program_agg *a, uint64_t at,
			const uint64_t *value)
{
	if (a->func == AGG_stddev) {
		uint64_t sum[4] = {0};

		shard_read(h, at, sum, sizeof(sum));
		agg_merge(a, sum, value);
		shard_write(h, at, sum, sizeof(sum));
		return;
	}
	for (uint32_t i = 0; i < a->words; i++)
		update_word(h, at + (uint64_t)i * 8, 0, a->func, value[i]);
}

bool agg_absorb(struct state *s, uint32_t slot, const void *image,
		const struct agg_entry_view *e)
{
	const struct program_agg *a = program_agg(image, e->agg);
	struct agg_key k = agg_key_of(e->agg, e->key, (uint32_t)e->key_size);
	struct shard h = shard_of(s, slot);
	struct update u;

	if (!begin(&h, a, &k, &u))
		return false;
	if (!e->is_reset)
		merge_value(&h, a, u.value_at, e->value);
	else if (u.is_reset) /* it stays so */
		store64(&u.element->epoch,
			load64(&layout_epochs(s, e->agg)->truncated));
	if (a->func == AGG_count) /* the update counts one itself */
		update_word(&h, u.value_at, 0, a->func, UINT64_MAX);
	end(&h, &k, &u);
	return true;
}

void agg_settle(struct state *s, uint32_t slot)
{
	struct shard h = shard_of(s, slot);
	struct element *e = shard_element(&h, load64(&h.slot->updated));
	uint64_t sequence = e ? load64(&e->sequence) : 0;

	if (sequence & 1)
		store64(&e->sequence, sequence + 1);
}
