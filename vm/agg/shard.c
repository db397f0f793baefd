/* SPDX-License-Identifier: MIT */
#include "vm/agg/shard.h"
#include "vm/base/bytes.h"
#include "vm/base/hash.h"

#define NONE UINT64_MAX

struct agg_key agg_key_of(uint32_t agg, const void *bytes, uint32_t size)
{
	uint32_t hash = (uint32_t)hash_bytes(bytes, size, agg);

	return (struct agg_key){agg, size, hash, bytes};
}

static bool is_key(const struct shard *h, uint64_t offset, const struct agg_key *k)
{
	const unsigned char *b = k->bytes;
	uint64_t left = k->size;

	while (left) {
		uint64_t n = min_u64(left, CHUNK_BYTES - offset % CHUNK_BYTES);
		const void *p = shard_at(h, offset, n);

		if (!p || bytes_compare(p, b, n) != 0)
			return false;
		offset += n;
		b += n;
		left -= n;
	}
	return true;
}

/* Truncated away, and roomy enough for the key. */
static bool is_spare(const struct shard *h, const struct element *e,
		     const struct agg_key *k)
{
	const struct agg_epochs *epochs = layout_epochs(h->state, k->agg);

	return load32(&e->agg) == k->agg && load32(&e->key_room) >= k->size &&
	       (load64(&e->epoch) < load64(&epochs->truncated) ||
		load64(&e->removed) == load64(&e->sequence));
}

/* e: the element at the offset. */
static inline bool has_key(const struct shard *h, const struct element *e,
			   uint64_t offset, const struct agg_key *k)
{
	return load32(&e->hash) == k->hash && load32(&e->agg) == k->agg &&
	       load32(&e->key_size) == k->size && is_key(h, offset + sizeof(*e), k);
}

bool shard_has_key(const struct shard *h, uint64_t offset, const struct agg_key *k)
{
	const struct element *e = shard_element(h, offset);

	return e && has_key(h, e, offset, k);
}

uint64_t shard_find(const struct shard *h, const struct agg_key *k, uint64_t *spare)
{
	uint32_t link = load32(&h->buckets[k->hash & (h->state->shard_buckets - 1)]);

	if (spare)
		*spare = NONE;
	for (uint32_t i = 0; link && i < SHARD_CHAIN_MAX; i++) {
		uint64_t offset = (uint64_t)(link - 1) * 8;
		const struct element *e = shard_element(h, offset);

		if (!e)
			break;
		if (has_key(h, e, offset, k))
			return offset;
		if (spare && *spare == NONE && is_spare(h, e, k))
			*spare = offset;
		link = load32(&e->next);
	}
	return NONE;
}

/* Words that the owner is writing may arrive torn: the caller asks the sequence. */
bool shard_read(const struct shard *h, uint64_t offset, void *buf, uint64_t n)
{
	unsigned char *b = buf;

	while (n) {
		uint64_t m = min_u64(n, CHUNK_BYTES - offset % CHUNK_BYTES);
		const void *p = shard_at(h, offset, m);

		if (!p)
			return false;
		bytes_copy(b, p, m);
		offset += m;
		b += m;
		n -= m;
	}
	return true;
}

bool shard_write(const struct shard *h, uint64_t offset, const void *buf, uint64_t n)
{
	const unsigned char *b = buf;

	while (n) {
		uint64_t m = min_u64(n, CHUNK_BYTES - offset % CHUNK_BYTES);
		void *p = shard_at(h, offset, m);

		if (!p)
			return false;
		bytes_copy(p, b, m);
		offset += m;
		b += m;
		n -= m;
	}
	return true;
}

/* Chunks for [from, to), those that are not there yet. */
static bool map_range(const struct shard *h, uint64_t from, uint64_t to)
{
	uint64_t last = (to - 1) / CHUNK_BYTES;

	if (last >= h->state->shard_chunks)
		return false;
	for (uint64_t page = from / CHUNK_BYTES; page <= last; page++) {
		uint32_t index;

		if (load32(&h->chunks[page]))
			continue;
		index = layout_take_chunk(h->state, h->slot);
		if (index == FREELIST_NONE)
			return false;
		store32(&h->chunks[page], index + 1);
	}
	return true;
}

/* Marks the rest of a chunk, too small for the next element, as unused. */
static void fill(const struct shard *h, uint64_t offset, uint64_t n)
{
	struct element *e = n >= sizeof(*e) ? shard_element(h, offset) : NULL;

	if (!e)
		return;
	store64(&e->sequence, 0);
	store32(&e->agg, SHARD_FILLER);
	store32(&e->key_room, (uint32_t)(n - sizeof(*e)));
	store32(&e->words, 0);
}

/* Where an element of that size goes; NONE if there is no room. */
static uint64_t place_for(const struct shard *h, uint64_t size)
{
	uint64_t limit = h->state->shard_bytes;
	uint64_t used = load64(&h->slot->shard_used);
	uint64_t left = CHUNK_BYTES - used % CHUNK_BYTES, at = used;

	if (used % 8 || used > limit)
		return NONE;
	if (size > left && left < CHUNK_BYTES)
		at += left;
	if (at + size > limit || !map_range(h, used, at + size))
		return NONE;
	if (at != used)
		fill(h, used, left);
	return at;
}

uint64_t shard_add(const struct shard *h, const struct agg_key *k,
		   const struct program_agg *a)
{
	uint64_t room = align_up(k->size, 8), offset;
	uint64_t counted = load64(&h->slot->shard_data) + a->nominal;
	uint32_t words = a->words;
	struct element *e;

	if (counted - load64(&h->slot->shard_kept) > h->state->config.aggsize)
		return NONE;
	offset = place_for(h, element_size(room, words));
	e = offset == NONE ? NULL : shard_element(h, offset);
	if (!e)
		return NONE;
	store64(&h->slot->shard_data, counted);
	store64(&e->sequence, 0);
	store64(&e->removed, 1);
	store64(&e->epoch, 0);
	store32(&e->next, 0);
	store32(&e->agg, k->agg);
	store32(&e->hash, k->hash);
	store32(&e->key_size, k->size);
	store32(&e->key_room, (uint32_t)room);
	store32(&e->words, words);
	if (!shard_write(h, offset + sizeof(*e), k->bytes, k->size))
		return NONE;
	atomic_store_explicit(&h->slot->shard_used, offset + element_size(room, words),
			      memory_order_release);
	return offset;
}

void shard_link(const struct shard *h, const struct agg_key *k, uint64_t offset)
{
	_Atomic uint32_t *bucket = &h->buckets[k->hash & (h->state->shard_buckets - 1)];
	struct element *e = shard_element(h, offset);

	if (!e)
		return;
	store32(&e->next, load32(bucket));
	atomic_store_explicit(bucket, (uint32_t)(offset / 8 + 1), memory_order_release);
}

struct element *shard_next(const struct shard *h, struct shard_cursor *c)
{
	c->offset = c->next;
	while (c->offset < c->used) {
		uint64_t left = CHUNK_BYTES - c->offset % CHUNK_BYTES, size;
		struct element *e;

		if (left < sizeof(*e)) {
			c->offset += left;
			continue;
		}
		e = shard_element(h, c->offset);
		if (!e)
			break;
		size = element_size(load32(&e->key_room), load32(&e->words));
		if (size % 8 || size > c->used - c->offset)
			break;
		c->next = c->offset + size;
		if (load32(&e->agg) != SHARD_FILLER)
			return e;
		c->offset = c->next;
	}
	c->is_damaged = c->offset < c->used;
	return NULL;
}
