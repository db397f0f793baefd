/* SPDX-License-Identifier: MIT */
/*
 * Every word that a process shares with its tracer, one after the other. Children write
 * them, which are followed and have a block of their own each: a word may end the one that
 * writes it, and the next child goes on with the word after that.
 */
#include "tests/attack/hostile.h"
#include "tests/attack/shared.h"

#include "vm/agg/shard.h"
#include "vm/block/spec.h"
#include "vm/block/stream.h"
#include "vm/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_SECONDS 1
#define METERS	      3	  /* cells */
#define VARIABLES     192 /* bytes of free list and claims */
#define TABLES	      64  /* bytes of each table */

struct area {
	void *at;
	size_t bytes;
};

static struct area area_of(void *at, size_t bytes)
{
	return (struct area){at, at ? bytes : 0};
}

/* Of the calling thread, where the firing of a probe has left something. */
static size_t areas(struct area *a)
{
	struct state *s = own_state();
	struct slot *slot = own_slot();
	struct resident_tcb *tcb = own_tcb();
	uint32_t chunk, n = 0;

	if (!s || !slot || !tcb)
		return 0;
	a[n++] = area_of(layout_exchange(s), sizeof(struct exchange));
	a[n++] = area_of(slot, offsetof(struct slot, scratch));
	a[n++] = area_of(slot->scratch, TABLES);
	a[n++] = area_of(slot->tuple, TABLES);
	a[n++] = area_of(slot->cache, sizeof(slot->cache[0]));
	a[n++] = area_of(slot->own_cells, sizeof(slot->own_cells));
	a[n++] = area_of(layout_shard_buckets(s, slot), TABLES);
	a[n++] = area_of(layout_shard_chunks(s, slot), TABLES);
	if (s->config.nspec)
		a[n++] = area_of((unsigned char *)slot + s->slot_specs_at,
				 sizeof(struct spec_used));
	if (s->config.nmeters)
		a[n++] = area_of(layout_meters(s, slot),
				 sizeof(struct meters) +
					 METERS * sizeof(struct meter_cell));
	chunk = (uint32_t)(slot->tail >> 32);
	if (stream_chunk(s, chunk))
		a[n++] = area_of(stream_chunk(s, chunk),
				 STREAM_HEADER + sizeof(struct record) + TABLES);
	chunk = *layout_shard_chunks(s, slot);
	if (chunk && chunk <= s->nchunks)
		a[n++] =
			area_of(layout_chunk(s, chunk - 1), 2 * sizeof(struct element));
	a[n++] = area_of(layout_variables(s), VARIABLES);
	a[n++] = area_of(layout_at(s, s->specs_at), TABLES);
	a[n++] = area_of(layout_at(s, s->globals_at), TABLES);
	a[n++] = area_of(layout_at(s, s->buckets_at), TABLES);
	a[n++] = area_of(layout_at(s, s->cells_at), 2 * CELL_BYTES);
	a[n++] = area_of(tcb, offsetof(struct resident_tcb, cfi_cache) + TABLES);
	a[n++] = area_of(&tcb->walk, TABLES);
	a[n++] = area_of(&tcb->level[0].regs, sizeof(struct regs));
	a[n++] = area_of(tcb->level[0].internal, TABLES);
	return n;
}

/* The word at this place of all areas; NULL: there are no more. */
static unsigned char *word(const struct area *a, size_t n, size_t index)
{
	for (size_t i = 0; i < n; i++) {
		if (index < a[i].bytes / 8)
			return (unsigned char *)a[i].at + index * 8;
		index -= a[i].bytes / 8;
	}
	return NULL;
}

/* What all children share. */
struct progress {
	size_t next; /* word */
	unsigned long written, refused;
	bool is_over, has_begun;
};

/* In a child: so many words from the next one on. */
static void write_words(struct progress *p, uint64_t value, size_t each)
{
	struct area a[32];
	size_t n;

	alarm(CHILD_SECONDS);
	work(1);
	jab(1);
	n = areas(a);
	p->has_begun = n > 0;
	for (size_t i = 0; i < each && !p->is_over; i++) {
		unsigned char *at = word(a, n, p->next);

		p->is_over = !at;
		p->next++;
		if (at)
			poke64(at, value);
		p->written += at && poked > 0;
		p->refused += refused;
		poked = refused = 0;
		work(2);
	}
	make_threads(1);
}

/*
 * words VALUE EACH: writes it to each word, EACH of them in a child.
 */
static const char *words(int argc, char **argv)
{
	uint64_t value = number_of(argc, argv, 0);
	size_t each = number_of(argc, argv, 1);
	struct progress *p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const char *lacks = NULL;

	if (p == MAP_FAILED)
		return "no memory";
	while (!p->is_over && !lacks) {
		pid_t pid = fork();

		if (pid == 0) {
			write_words(p, value, each ? each : 1);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		if (!p->has_begun)
			lacks = "no state block";
	}
	poked = p->written;
	refused = p->refused;
	munmap(p, sizeof(*p));
	return lacks;
}

const struct attack word_attacks[] = {
	{"words", words},
	{NULL, NULL},
};
