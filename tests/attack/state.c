/* SPDX-License-Identifier: MIT */
/* Attacks on the state block: layout, rings, shards, dynamic variables. */
#include "tests/attack/hostile.h"
#include "tests/attack/shared.h"

#include "vm/block/stream.h"
#include "vm/agg/shard.h"
#include "vm/base/hash.h"
#include "vm/program.h"
#include "vm/record.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* The layout page as it was before the first attack on it. */
static struct state layout;

static struct state *state(void)
{
	static struct state *found;

	if (!found && (found = own_state()))
		layout = *found;
	return found;
}

/* layout VALUE [WORD]: every word of the layout page, or that one. */
static const char *spoil_layout(int argc, char **argv)
{
	uint64_t *words = (uint64_t *)(void *)state(), value = number_of(argc, argv, 0);
	size_t n = sizeof(struct state) / 8;

	if (!words)
		return "no state block";
	if (argc > 1)
		poke64(words + number_of(argc, argv, 1) % n, value);
	for (size_t i = 1; argc < 2 && i < n; i++)
		poke64(words + i, value);
	return NULL;
}

static void fill_range(struct state *s, uint64_t from, uint64_t to, uint64_t value)
{
	for (uint64_t at = from / 8 * 8; at + 8 <= to; at += 8)
		poke64((unsigned char *)s + at, value);
}

/* Stop flags, free lists, claims, epochs, speculations: what is before and after the slots. */
static void fill_control(struct state *s, uint64_t value)
{
	fill_range(s, STATE_LAYOUT_BYTES, STATE_LAYOUT_BYTES + 4096, value);
	fill_range(s, layout.aggs_at - 64,
		   layout.aggs_at + layout.config.naggs * sizeof(struct agg_epochs),
		   value);
	fill_range(s, layout.specs_at - 4096, layout.specs_at + 64, value);
}

/* control VALUE: the words that all share. */
static const char *control(int argc, char **argv)
{
	struct state *s = state();

	if (!s)
		return "no state block";
	fill_control(s, number_of(argc, argv, 0));
	return NULL;
}

/* Only pages that exist: to read another one would make it. */
static bool has_text(const struct region *r, const char *text)
{
	const size_t page = 4096, n = (r->hi - r->lo) / page;
	unsigned char *is_there = malloc(n);
	bool is_found = false;

	if (!is_there || mincore(pointer_to(r->lo), n * page, is_there)) {
		free(is_there);
		return false;
	}
	for (size_t i = 0; i < n && !is_found; i++)
		is_found = is_there[i] & 1 && memmem(pointer_to(r->lo + i * page), page,
						     text, strlen(text));
	free(is_there);
	return is_found;
}

/* seek TEXT: whether any memory shared with the tracer has the text within a page. */
static const char *seek(int argc, char **argv)
{
	static struct region r[4096];
	size_t n = regions(r, 4096);

	for (size_t i = 0; i < n && argc; i++)
		if (r[i].is_shared && r[i].is_readable && has_text(&r[i], argv[0]))
			return "found";
	return NULL;
}

/* A record whose only item, if it has one, is a traced integer. */
static size_t put_record(unsigned char *to, const struct record *like, bool has_item,
			 uint32_t action)
{
	struct record r = *like;
	struct record_item item = {action, 8};
	uint64_t number = 7;

	r.kind = RECORD_DATA;
	r.spec = 0;
	r.size = sizeof(r) + (has_item ? sizeof(item) + 8 : 0);
	memcpy(to, &r, sizeof(r));
	if (has_item) {
		memcpy(to + sizeof(r), &item, sizeof(item));
		memcpy(to + sizeof(r) + sizeof(item), &number, 8);
	}
	return r.size;
}

/* Fills data to the last byte with records; those without an item even out. */
static void fill_chunk(unsigned char *data, const struct record *like, uint32_t action)
{
	const size_t one = sizeof(*like) + sizeof(struct record_item) + 8;
	size_t at = 0;

	while (STREAM_DATA - at >= one + sizeof(*like) || STREAM_DATA - at == one)
		at += put_record(data + at, like, true, action);
	while (STREAM_DATA - at >= sizeof(*like))
		at += put_record(data + at, like, false, action);
}

/*
 * circle: the chunk of the own ring is followed by itself, and the end lies in another
 * one. Its records are of the own clause, with its own trace().
 */
static const char *circle(int argc, char **argv)
{
	static unsigned char data[STREAM_DATA];
	struct state *s = state();
	struct slot *slot = own_slot();
	struct stream_chunk *c;
	struct record like;
	struct record_item item;
	uint32_t link;

	(void)argc;
	(void)argv;
	if (!slot)
		return "no slot";
	link = place_chunk(slot->tail);
	c = stream_chunk(s, link);
	if (!c)
		return "no record yet";
	memcpy(&like, c->data, sizeof(like));
	memcpy(&item, c->data + sizeof(like), sizeof(item));
	fill_chunk(data, &like, item.action);
	poke(c->data, data, sizeof(data));
	poke32(&c->next, link);
	poke64(&slot->tail, place_make(link == 1 ? 2 : 1, 8));
	return NULL;
}

/* The number of an aggregation that counts by one integer. */
static uint32_t counting(const void *image)
{
	for (uint32_t i = 0; i < program_count(image, SECTION_AGG); i++) {
		const struct program_agg *a = program_agg(image, i);

		if (a->func == AGG_count && a->nkeys == 1 &&
		    program_field(image, a->first_key)->kind == KIND_INT)
			return i;
	}
	return 0;
}

/* As many elements as a chunk has room for, each with a key of its own. */
static void fill_elements(unsigned char *chunk, uint32_t agg)
{
	const size_t size = sizeof(struct element) + 16;

	for (size_t at = 0; at + size <= CHUNK_BYTES; at += size) {
		struct element e = {.sequence = 2, .removed = 1, .epoch = ~UINT64_C(0)};
		uint64_t key = at, value = 1;

		e.agg = agg;
		e.hash = (uint32_t)hash_bytes(&key, sizeof(key), agg);
		e.key_size = e.key_room = sizeof(key);
		e.words = 1;
		e.next = (uint32_t)(at / 8 + 1);
		poke(chunk + at, &e, sizeof(e));
		poke(chunk + at + sizeof(e), &key, sizeof(key));
		poke(chunk + at + sizeof(e) + sizeof(key), &value, sizeof(value));
	}
}

/* shards N: the tables of N slots from the own one on point at one chunk of elements. */
static const char *shards(int argc, char **argv)
{
	struct state *s = state();
	struct resident_tcb *tcb = own_tcb();
	const void *image = own_image();
	uint32_t link, from, n = (uint32_t)number_of(argc, argv, 0);

	if (!tcb || !image)
		return "no slot";
	from = tcb->thread.slot[0];
	link = layout_shard_chunks(&layout, layout_slot(s, from))[0];
	link = link ? link : 1;
	fill_elements(layout_chunk(s, link - 1), counting(image));
	for (uint32_t i = from; i < layout.config.nslots && i < from + n; i++) {
		struct slot *slot = layout_slot(s, i);
		_Atomic uint32_t *chunks = layout_shard_chunks(s, slot);

		for (uint32_t c = 0; c < layout.shard_chunks; c++)
			poke32(&chunks[c], link);
		for (uint32_t b = 0; b < layout.shard_buckets; b++)
			poke32(&layout_shard_buckets(s, slot)[b], 1);
		poke64(&slot->shard_used, layout.shard_bytes);
	}
	return NULL;
}

/* claim: each element of the own shard says that it is the next aggregation's. */
static const char *claim(int argc, char **argv)
{
	struct state *s = state();
	struct resident_tcb *tcb = own_tcb();
	const void *image = own_image();
	struct slot *slot;
	struct shard h;
	uint64_t used;

	(void)argc;
	(void)argv;
	if (!tcb || !image)
		return "no slot";
	slot = layout_slot(s, tcb->thread.slot[0]);
	h = (struct shard){s, slot, layout_shard_buckets(s, slot),
			   layout_shard_chunks(s, slot)};
	used = load64(&slot->shard_used);
	for (uint64_t at = 0; at < used && at < CHUNK_BYTES;) {
		struct element *e = shard_element(&h, at);

		if (!e || !load32(&e->words))
			break;
		poke32(&e->agg,
		       (load32(&e->agg) + 1) % program_count(image, SECTION_AGG));
		at += element_size(load32(&e->key_room), load32(&e->words));
	}
	return NULL;
}

/* cells next|more|both: every chain of dynamic variables goes round in circles. */
static const char *cells(int argc, char **argv)
{
	struct state *s = state();
	const char *which = argc ? argv[0] : "both";
	uint32_t n;

	if (!s)
		return "no state block";
	n = layout.ncells < 4096 ? layout.ncells : 4096;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *cell =
			layout_at(s, layout.cells_at + (uint64_t)i * CELL_BYTES);

		/* struct cell of vm/run/dynvar.c: more, next, thread */
		if (strcmp(which, "next"))
			poke32(cell, i % 2 ? i : i + 2);
		if (strcmp(which, "more"))
			poke32(cell + 1, i % 2 ? i : i + 2);
	}
	for (uint32_t i = 0; i < layout.nbuckets; i++)
		poke32(layout_at(s, layout.buckets_at + i * UINT64_C(4)), i % n + 1);
	return NULL;
}

/*
 * caches VALUE: what the own slot remembers of elements and of the thread's variables is
 * the value; then clauses go by that.
 */
static const char *caches(int argc, char **argv)
{
	uint64_t value = number_of(argc, argv, 0);
	struct slot *slot = own_slot();

	if (!slot)
		return "no slot";
	for (uint32_t i = 0; i < sizeof(slot->cache) / sizeof(slot->cache[0]); i++)
		if (slot->cache[i].place)
			poke64(&slot->cache[i].element, value);
	for (uint32_t i = 0; i < OWN_CELLS; i++)
		poke32(&slot->own_cells[i], (uint32_t)value);
	work(20);
	return NULL;
}

/* free: the free lists of chunks and cells are circles of one. */
static const char *free_lists(int argc, char **argv)
{
	struct state *s = state();

	(void)argc;
	(void)argv;
	if (!s)
		return "no state block";
	poke32(layout_chunk(s, 0), 1);
	poke32(layout_at(s, layout.cells_at), 1);
	fill_control(s, UINT64_C(7) << 32 | 1); /* tag and link */
	return NULL;
}

static void *ask_for_ever(void *exchange)
{
	for (;;)
		atomic_fetch_add(&((struct exchange *)exchange)->snapshots, 1);
	return NULL;
}

/* snapshots: without a clause one is asked for all the time, from now on. */
static const char *snapshots(int argc, char **argv)
{
	struct state *s = state();
	pthread_t thread;

	(void)argc;
	(void)argv;
	if (!s)
		return "no state block";
	return pthread_create(&thread, NULL, ask_for_ever, layout_exchange(s))
		       ? "no thread"
		       : NULL;
}

const struct attack state_attacks[] = {
	{"layout", spoil_layout}, {"control", control}, {"seek", seek},
	{"circle", circle},	  {"shards", shards},	{"cells", cells},
	{"free", free_lists},	  {"claim", claim},	{"caches", caches},
	{"snapshots", snapshots}, {NULL, NULL},
};
