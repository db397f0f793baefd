/* SPDX-License-Identifier: MIT */
/*
 * The scribbler: random and structure-aware writes over every byte that the tracer shares
 * with this process and that this process can write. A seed gives the same writes again, as
 * far as the memory is the same.
 */
#include "tests/attack/hostile.h"
#include "tests/attack/shared.h"

#include "vm/agg/shard.h"
#include "vm/block/stream.h"
#include "vm/program.h"
#include "vm/record.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define REGIONS_MAX 1024
#define PAGES_MAX   65536
#define RESCAN	    2000 /* writes until the mappings are looked at again */
#define WRITERS	    2
#define WINDOW	    (UINT64_C(1) << 20)
#define WINDOWS	    32

struct scribbler {
	uint64_t random;
	struct timespec end;
	uintptr_t pages[PAGES_MAX]; /* writable, shared, and there */
	size_t npages;
	unsigned long written;
};

static uint64_t next_random(struct scribbler *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return s->random;
}

static uint32_t below(struct scribbler *s, uint32_t n)
{
	return n ? (uint32_t)(next_random(s) >> 32) % n : 0;
}

static bool copy_memory(void *to, const void *from, size_t n, bool is_write)
{
	struct iovec here = {is_write ? pointer_to((uintptr_t)from) : to, n};
	struct iovec there = {is_write ? to : pointer_to((uintptr_t)from), n};

	/* memory may go away between a look at it and its use: no fault here */
	return (is_write ? process_vm_writev : process_vm_readv)(
		       getpid(), &here, 1, &there, 1, 0) == (ssize_t)n;
}

static void put(struct scribbler *s, void *at, const void *bytes, size_t n)
{
	s->written += copy_memory(at, bytes, n, true);
}

static uint64_t get(const void *at)
{
	uint64_t value = 0;

	copy_memory(&value, at, sizeof(value), false);
	return value;
}

static void add_window(struct scribbler *s, uintptr_t from, uintptr_t to)
{
	static _Thread_local unsigned char is_there[WINDOW / 4096];
	size_t n = (to - from) / 4096;

	if (mincore(pointer_to(from), n * 4096, is_there))
		return;
	for (size_t i = 0; i < n && s->npages < PAGES_MAX; i++)
		if (is_there[i] & 1)
			s->pages[s->npages++] = from + i * 4096;
}

/* Only pages that are there: the first ones, and in some windows elsewhere. */
static void add_pages(struct scribbler *s, const struct region *r)
{
	size_t n = (r->hi - r->lo + WINDOW - 1) / WINDOW;

	for (size_t i = 0; i < n && i < WINDOWS; i++) {
		size_t which =
			n > WINDOWS && i > WINDOWS / 2 ? below(s, (uint32_t)n) : i;
		uintptr_t from = r->lo + which * WINDOW, to = from + WINDOW;

		add_window(s, from, to < r->hi ? to : r->hi);
	}
}

static void scan(struct scribbler *s)
{
	static _Thread_local struct region r[REGIONS_MAX];
	size_t n = regions(r, REGIONS_MAX);

	s->npages = 0;
	for (size_t i = 0; i < n; i++)
		if (r[i].is_shared && r[i].is_writable)
			add_pages(s, &r[i]);
}

/* What is likely to matter as index, link, offset, size or count. */
static uint64_t value(struct scribbler *s, uint64_t old)
{
	static const uint64_t favourites[] = {
		0,
		1,
		2,
		7,
		8,
		16,
		48,
		0x7f,
		0xff,
		0x1000,
		0xffff,
		0x10000,
		0x7fffffff,
		0x80000000,
		0xfffffff8,
		0xffffffff,
		1ull << 32,
		1ull << 63,
		~0ull - 7,
		~0ull,
		0x100000008,
		0x200000010,
		0xffffffff00000000,
	};

	switch (below(s, 6)) {
	case 0:
		return favourites[below(s, sizeof(favourites) / 8)];
	case 1:
		return old + below(s, 64) - 32;
	case 2:
		return old ^ UINT64_C(1) << below(s, 64);
	case 3:
		return below(s, 4096);
	case 4:
		return (uint64_t)below(s, 64) << 32 | below(s, STREAM_DATA + 8);
	default:
		return next_random(s);
	}
}

static void scribble_word(struct scribbler *s, void *at, size_t n)
{
	uint64_t v = value(s, get(at));

	put(s, at, &v, n);
}

/* Any word of any page. */
static void anywhere(struct scribbler *s)
{
	uintptr_t page;

	if (!s->npages)
		return;
	page = s->pages[below(s, (uint32_t)s->npages)];
	if (below(s, 200) == 0) {
		unsigned char bytes[4096];

		memset(bytes, (int)below(s, 256), sizeof(bytes));
		put(s, pointer_to(page), bytes, sizeof(bytes));
		return;
	}
	scribble_word(s, pointer_to(page + below(s, 1024) * 4), below(s, 2) ? 4 : 8);
}

static struct slot *some_slot(struct scribbler *s, struct state *state)
{
	struct resident_tcb *tcb = own_tcb();
	uint32_t own = tcb ? tcb->thread.slot[below(s, 2)] : 2;

	return layout_slot(state, below(s, 4) ? own : below(s, 64));
}

/* Counters, ring and shard words at the head of a slot. */
static void slot_words(struct scribbler *s, struct state *state)
{
	struct slot *slot = some_slot(s, state);

	scribble_word(s,
		      (unsigned char *)slot +
			      below(s, offsetof(struct slot, scratch) / 4) * 4,
		      below(s, 2) ? 4 : 8);
}

/* Links and lengths of a ring's chunk, and of what is in it. */
static void chunk_words(struct scribbler *s, struct state *state)
{
	struct slot *slot = some_slot(s, state);
	uint32_t link =
		below(s, 2) ? (uint32_t)(get(&slot->tail) >> 32) : 1 + below(s, 256);
	struct stream_chunk *c = stream_chunk(state, link);

	if (!c)
		return;
	if (below(s, 3) == 0)
		scribble_word(s, &c->next, 4);
	else
		scribble_word(s, c->data + below(s, 64) * 8, 8);
}

static void shard_words(struct scribbler *s, struct state *state)
{
	struct slot *slot = some_slot(s, state);
	_Atomic uint32_t *chunks = layout_shard_chunks(state, slot);
	uint32_t link = (uint32_t)get(chunks);

	switch (below(s, 4)) {
	case 0:
		scribble_word(s, chunks + below(s, state->shard_chunks), 4);
		break;
	case 1:
		scribble_word(s,
			      layout_shard_buckets(state, slot) +
				      below(s, state->shard_buckets),
			      4);
		break;
	default:
		if (link && link <= state->nchunks)
			scribble_word(s,
				      layout_chunk(state, link - 1) + below(s, 256) * 4,
				      4);
	}
}

static void cell_words(struct scribbler *s, struct state *state)
{
	if (below(s, 4) == 0)
		scribble_word(s,
			      layout_at(state, state->buckets_at +
						       below(s, state->nbuckets) * 4ul),
			      4);
	else
		scribble_word(
			s,
			layout_at(state, state->cells_at +
						 below(s, 256) * (uint64_t)CELL_BYTES +
						 below(s, CELL_BYTES / 4) * 4ul),
			4);
}

/* Stop flags, free lists, claims, epochs. */
static void control_words(struct scribbler *s, struct state *state)
{
	const uint64_t from[] = {STATE_LAYOUT_BYTES, state->aggs_at, state->specs_at,
				 state->specs_at - 4096};

	scribble_word(s, layout_at(state, from[below(s, 4)] + below(s, 256) * 4ul), 4);
}

/* The own TCB, or another one of the process. */
static void tcb_words(struct scribbler *s, struct state *state)
{
	struct resident_tcb *tcb = own_tcb();
	int64_t other = (int64_t)below(s, 9) - 4;

	(void)state;
	if (tcb)
		scribble_word(
			s,
			(unsigned char *)(tcb + other) +
				below(s, offsetof(struct resident_tcb, cfi_cache) / 4) *
					4,
			below(s, 2) ? 4 : 8);
}

/* A record that is nearly right, at the end of a ring. */
static void forge(struct scribbler *s, struct state *state)
{
	struct slot *slot = some_slot(s, state);
	uint64_t tail = get(&slot->tail);
	struct stream_chunk *c = stream_chunk(state, place_chunk(tail));
	struct {
		struct record record;
		struct record_item item;
		uint64_t payload[4];
	} r = {
		.record = {.size = 48 + 8 * below(s, 8),
			   .kind = below(s, 6),
			   .probe = below(s, 300),
			   .clause = below(s, 8),
			   .epid = below(s, 300),
			   .pid = (uint32_t)getpid(),
			   .tid = (uint32_t)gettid(),
			   .spec = below(s, 4) ? 0 : below(s, 9)},
		.item = {.action = below(s, 8), .size = 8 * below(s, 5)},
		.payload = {below(s, 9), below(s, 99), next_random(s), below(s, 3)},
	};
	uint32_t at = place_offset(tail);

	r.record.time = next_random(s) % (UINT64_C(1) << 50);
	if (!c || at + sizeof(r) > STREAM_DATA)
		return;
	put(s, c->data + at, &r, sizeof(r));
	tail = place_make(place_chunk(tail), at + r.record.size);
	put(s, &slot->tail, &tail, sizeof(tail));
}

static void (*const ways[])(struct scribbler *, struct state *) = {
	slot_words, chunk_words, shard_words,	cell_words,
	tcb_words,  forge,	 control_words,
};

static bool is_over(const struct scribbler *s)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > s->end.tv_sec ||
	       (now.tv_sec == s->end.tv_sec && now.tv_nsec > s->end.tv_nsec);
}

static void *scribble(void *arg)
{
	struct scribbler *s = arg;
	struct state *state;

	work(1);
	state = region_of(STATE_MAGIC); /* a TCB may be spoilt */
	for (uint32_t i = 0; !is_over(s); i++) {
		if (i % RESCAN == 0)
			scan(s);
		if (!state || below(s, 3) == 0)
			anywhere(s);
		else
			ways[below(s, sizeof(ways) / sizeof(*ways))](s, state);
		if (i % 64 == 0) {
			work((long)i);
			jab((long)i);
			say("scribbler");
			usleep(below(s, 300));
		}
	}
	return arg;
}

/* scribble SEED MILLISECONDS: threads that write, beside others that come and go. */
static const char *start(int argc, char **argv)
{
	static struct scribbler s[WRITERS];
	unsigned long ms = number_of(argc, argv, 1);
	pthread_t t[WRITERS];

	for (unsigned i = 0; i < WRITERS; i++) {
		clock_gettime(CLOCK_MONOTONIC, &s[i].end);
		s[i].end.tv_sec += (time_t)(ms / 1000);
		s[i].end.tv_nsec += (long)(ms % 1000) * 1000000;
		if (s[i].end.tv_nsec >= 1000000000) {
			s[i].end.tv_nsec -= 1000000000;
			s[i].end.tv_sec++;
		}
		s[i].random = (number_of(argc, argv, 0) * WRITERS + i) *
				      UINT64_C(0x9e3779b97f4a7c15) |
			      1;
		pthread_create(&t[i], NULL, scribble, &s[i]);
	}
	while (!is_over(&s[0])) {
		make_threads(2);
		usleep(3000);
	}
	for (unsigned i = 0; i < WRITERS; i++) {
		pthread_join(t[i], NULL);
		poked += s[i].written;
	}
	return NULL;
}

const struct attack scribble_attacks[] = {
	{"scribble", start},
	{NULL, NULL},
};
