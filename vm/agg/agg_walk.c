/* SPDX-License-Identifier: MIT */
/*
 * The consumer's side of aggregations: consistent copies of elements that their
 * owner may be updating, and taking elements away without touching their values.
 * Everything in a shard may be hostile.
 */
#include "vm/agg.h"
#include "vm/base/bytes.h"
#include "vm/base/status.h"
#include "vm/agg/shard.h"

#define READ_TRIES   1000
#define REMOVE_TRIES 100
#define SETTLE_SPINS                                                                   \
	16 /* for the store buffer of an owner in the middle of an update */

/* One element's copy. */
struct copy {
	uint64_t sequence, epoch, removed;
	uint32_t agg, key_size;
	uint64_t key[TUPLE_BYTES / 8];
	uint64_t value[AGG_WORDS_MAX];
};

enum copied { COPY_DONE, COPY_BUSY, COPY_DAMAGED };

/* A copy that may be torn; the sequence decides. */
static bool copy_once(const struct shard *h, const struct element *e, uint64_t offset,
		      const void *image, struct copy *c)
{
	uint32_t room = load32(&e->key_room), words = load32(&e->words);

	c->agg = load32(&e->agg);
	c->key_size = load32(&e->key_size);
	c->epoch = load64(&e->epoch);
	c->removed = load64(&e->removed);
	if (c->agg >= h->state->config.naggs ||
	    c->agg >= program_count(image, SECTION_AGG) ||
	    words != program_agg(image, c->agg)->words || words > AGG_WORDS_MAX ||
	    c->key_size > room || c->key_size > TUPLE_BYTES)
		return false;
	offset += sizeof(*e);
	return shard_read(h, offset, c->key, c->key_size) &&
	       shard_read(h, offset + room, c->value, (uint64_t)words * 8);
}

static enum copied copy_element(const struct shard *h, const struct element *e,
				uint64_t offset, const void *image, struct copy *c)
{
	enum copied result = COPY_BUSY;

	for (int i = 0; i < READ_TRIES; i++) {
		uint64_t before =
			atomic_load_explicit(&e->sequence, memory_order_acquire);
		bool is_whole;

		if (before & 1) {
			__builtin_ia32_pause();
			continue;
		}
		is_whole = copy_once(h, e, offset, image, c);
		atomic_thread_fence(memory_order_acquire);
		if (load64(&e->sequence) != before)
			continue;
		if (!is_whole)
			return COPY_DAMAGED;
		c->sequence = before;
		if (program_agg(image, c->agg)->func == AGG_count)
			c->value[0] += before / 2;
		return COPY_DONE;
	}
	return result;
}

static bool is_live(const struct state *s, const struct copy *c)
{
	return c->sequence != 0 && c->removed != c->sequence &&
	       c->epoch >= load64(&layout_epochs(s, c->agg)->truncated);
}

static void show(const struct state *s, const void *image, struct copy *c,
		 void (*each)(void *ctx, const struct agg_entry_view *e), void *ctx)
{
	struct agg_entry_view view = {
		.agg = c->agg,
		.key = c->key,
		.key_size = c->key_size,
		.value = c->value,
		.is_reset = c->epoch < load64(&layout_epochs(s, c->agg)->current),
		.sequence = c->sequence,
		.removed = c->removed,
	};

	if (view.is_reset)
		agg_initial(program_agg(image, c->agg), c->value);
	each(ctx, &view);
}

int agg_walk(struct state *s, uint32_t slot, const void *image,
	     void (*each)(void *ctx, const struct agg_entry_view *e), void *ctx)
{
	struct shard h = shard_of(s, slot);
	uint64_t offset = 0, next = 0;
	const struct element *e;
	bool damaged;
	struct copy c;

	while ((e = shard_next(&h, &offset, &next, &damaged))) {
		enum copied result = copy_element(&h, e, offset, image, &c);

		if (result == COPY_DAMAGED)
			return STATUS_BADFMT;
		if (result == COPY_DONE && is_live(s, &c))
			show(s, image, &c, each, ctx);
		offset = next;
	}
	return damaged ? STATUS_BADFMT : 0;
}

void agg_clear(struct state *s, uint32_t agg)
{
	struct agg_epochs *e = layout_epochs(s, agg);

	atomic_store_explicit(&e->current, load64(&e->current) + 1,
			      memory_order_release);
	state_renew(s);
}

void agg_trunc(struct state *s, uint32_t agg)
{
	struct agg_epochs *e = layout_epochs(s, agg);

	atomic_store_explicit(&e->truncated, load64(&e->current) + 1,
			      memory_order_release);
	agg_clear(s, agg);
}

/*
 * Names the sequence that is taken away: if the owner updates the element at the
 * same time, that update is named instead, and lost with it.
 */
static void remove_element(struct element *e)
{
	for (int i = 0; i < REMOVE_TRIES; i++) {
		uint64_t sequence = atomic_load(&e->sequence);

		if (sequence & 1) {
			__builtin_ia32_pause();
			continue;
		}
		atomic_store(&e->removed, sequence);
		for (int spin = 0; spin < SETTLE_SPINS; spin++)
			__builtin_ia32_pause();
		if (atomic_load(&e->sequence) == sequence)
			return;
	}
}

void agg_remove(struct state *s, uint32_t agg, const void *key, size_t key_size)
{
	struct agg_key k = agg_key_of(agg, key, (uint32_t)key_size);

	for (uint32_t i = 0; i < state_slots_used(s); i++) {
		struct shard h = shard_of(s, i);
		uint64_t offset;
		struct element *e;

		if (load64(&h.slot->shard_used) == 0)
			continue;
		offset = shard_find(&h, &k, NULL);
		e = offset == UINT64_MAX ? NULL : shard_element(&h, offset);
		if (e)
			remove_element(e);
	}
	state_renew(s);
}

void agg_take(struct state *s, const struct agg_mark *mark)
{
	struct agg_key k = agg_key_of(mark->agg, mark->key, (uint32_t)mark->key_size);
	struct shard h = shard_of(s, mark->slot);
	uint64_t offset = shard_find(&h, &k, NULL);
	struct element *e = offset == UINT64_MAX ? NULL : shard_element(&h, offset);

	if (e)
		atomic_store(&e->removed, mark->sequence);
	state_renew(s);
}
