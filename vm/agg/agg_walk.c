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

#define READ_TRIES     1000
#define REMOVE_TRIES   100
#define BUSY_TRIES_MAX 100000u /* in one walk, for all entries */
#define SETTLE_SPINS                                                                   \
	16 /* for the store buffer of an owner in the middle of an update */

/* One element's copy. It is too large for the stack. */
struct agg_copy {
	uint64_t sequence, epoch, removed;
	uint32_t agg, key_size;
	uint64_t key[TUPLE_BYTES / 8];
	uint64_t value[AGG_WORDS_MAX];
};

enum copied { COPY_DONE, COPY_BUSY, COPY_DAMAGED };

/* A copy that may be torn; the sequence decides. */
static bool copy_once(const struct shard *h, const struct element *e, uint64_t offset,
		      const void *image, struct agg_copy *c)
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

/* One more try for what is busy, unless too many were made. */
static bool may_retry(uint32_t *tries)
{
	__builtin_ia32_pause();
	return (*tries)++ < BUSY_TRIES_MAX;
}

static enum copied copy_element(struct agg_walk *w, const struct shard *h,
				const struct element *e, uint64_t offset,
				struct agg_copy *c)
{
	int i = 0;

	do {
		uint64_t before =
			atomic_load_explicit(&e->sequence, memory_order_acquire);
		bool is_whole;

		if (before & 1)
			continue;
		is_whole = copy_once(h, e, offset, w->image, c);
		atomic_thread_fence(memory_order_acquire);
		if (load64(&e->sequence) != before)
			continue;
		if (!is_whole)
			return COPY_DAMAGED;
		c->sequence = before;
		if (program_agg(w->image, c->agg)->func == AGG_count)
			c->value[0] += before / 2;
		return COPY_DONE;
	} while (++i < READ_TRIES && may_retry(&w->tries));
	return COPY_BUSY;
}

static bool is_live(const struct state *s, const struct agg_copy *c)
{
	return c->sequence != 0 && c->removed != c->sequence &&
	       c->epoch >= load64(&layout_epochs(s, c->agg)->truncated);
}

static void show(const struct agg_walk *w, uint64_t offset, struct agg_copy *c)
{
	const struct state *s = w->state;
	struct agg_entry_view view = {
		.agg = c->agg,
		.key = c->key,
		.key_size = c->key_size,
		.value = c->value,
		.is_reset = c->epoch < load64(&layout_epochs(s, c->agg)->current),
		.sequence = c->sequence,
		.removed = c->removed,
		.offset = offset,
	};

	if (view.is_reset)
		agg_initial(program_agg(w->image, c->agg), c->value);
	w->each(w->ctx, &view);
}

size_t agg_seen_words(const struct state *s)
{
	return s->nchunks / 64 + 1;
}

size_t agg_table_entries(const struct state *s)
{
	return s->shard_chunks;
}

size_t agg_copy_bytes(void)
{
	return sizeof(struct agg_copy);
}

/*
 * Copies the part of the table of chunks that is in use, so that it cannot change during
 * the walk. False: it has a number that is none of a chunk, or one that has been seen.
 */
static bool copy_table(struct agg_walk *w, const struct shard *h, uint64_t used)
{
	uint64_t n = (used + CHUNK_BYTES - 1) / CHUNK_BYTES;

	for (uint64_t i = 0; i < n; i++) {
		uint32_t chunk = load32(&h->chunks[i]), at = chunk - 1;

		if (chunk == 0 || chunk > layout_open(w->state) ||
		    w->seen[at / 64] >> at % 64 & 1)
			return false;
		w->seen[at / 64] |= UINT64_C(1) << at % 64;
		store32(&w->table[i], chunk);
	}
	for (uint64_t i = n; i < w->state->shard_chunks && i < n + 1; i++)
		store32(&w->table[i], 0);
	return true;
}

int agg_walk(struct agg_walk *w, uint32_t slot)
{
	struct shard h = shard_of(w->state, slot);
	struct shard_cursor at = {
		.used = atomic_load_explicit(&h.slot->shard_used, memory_order_acquire),
	};
	const struct element *e;
	struct agg_copy *c = w->copy;

	if (at.used > w->state->shard_bytes || !copy_table(w, &h, at.used))
		return STATUS_BADFMT;
	h.chunks = w->table;
	while ((e = shard_next(&h, &at))) {
		enum copied result = copy_element(w, &h, e, at.offset, c);

		if (result == COPY_DAMAGED)
			return STATUS_BADFMT;
		if (result == COPY_DONE && is_live(w->state, c))
			show(w, at.offset, c);
	}
	return at.is_damaged ? STATUS_BADFMT : 0;
}

void agg_keep(struct state *s, uint32_t slot)
{
	struct slot *p = layout_slot(s, slot);

	store64(&p->shard_kept, load64(&p->shard_data));
}

void agg_clear(struct state *s, uint32_t agg)
{
	struct agg_epochs *e = layout_epochs(s, agg);

	atomic_store_explicit(&e->current, load64(&e->current) + 1,
			      memory_order_release);
}

void agg_trunc(struct state *s, uint32_t agg)
{
	struct agg_epochs *e = layout_epochs(s, agg);

	atomic_store_explicit(&e->truncated, load64(&e->current) + 1,
			      memory_order_release);
	agg_clear(s, agg);
}

/* The element of the mark, if it still has its key; or NULL. */
static struct element *marked(const struct shard *h, const struct agg_mark *m)
{
	struct agg_key k = agg_key_of(m->agg, m->key, (uint32_t)m->key_size);
	struct element *e = shard_element(h, m->offset);

	return e && shard_has_key(h, m->offset, &k) ? e : NULL;
}

/*
 * Names the sequence that is taken away: if the owner updates the element at the
 * same time, that update is named instead, and lost with it.
 */
void agg_remove(struct state *s, const struct agg_mark *mark, uint32_t *tries)
{
	struct shard h = shard_of(s, mark->slot);
	struct element *e = marked(&h, mark);
	int i = 0;

	do {
		uint64_t sequence = e ? atomic_load(&e->sequence) : 0;

		if (!e)
			return;
		if (sequence & 1)
			continue;
		atomic_store(&e->removed, sequence);
		for (int spin = 0; spin < SETTLE_SPINS; spin++)
			__builtin_ia32_pause();
		if (atomic_load(&e->sequence) == sequence)
			return;
	} while (++i < REMOVE_TRIES && may_retry(tries));
}

void agg_take(struct state *s, const struct agg_mark *mark)
{
	struct shard h = shard_of(s, mark->slot);
	struct element *e = marked(&h, mark);

	if (e)
		atomic_store(&e->removed, mark->sequence);
}
