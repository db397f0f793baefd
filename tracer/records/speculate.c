/* SPDX-License-Identifier: MIT */
/*
 * The generations of a speculation number end one after the other, but late threads
 * may deliver their records in another order. So a few generations are kept apart.
 */
#include "tracer/records/speculate.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/strbuf.h"

#include <stdlib.h>
#include <string.h>

#define GENERATIONS 4
#define KEPT_MAX    (UINT64_C(256) << 20) /* bytes of all records kept */

/* The records of one generation, one after the other. */
struct kept {
	uint32_t generation;
	struct strbuf records;
};

struct speculation {
	uint64_t ended; /* all generations below it have ended */
	struct kept kept[GENERATIONS];
};

void speculations_init(struct speculations *s, uint32_t nspec, uint64_t specsize)
{
	*s = (struct speculations){
		.nspec = nspec,
		.specsize = specsize,
		.all = oom_calloc((size_t)nspec + 1, sizeof(struct speculation)),
	};
}

void speculations_release(struct speculations *s)
{
	for (uint32_t i = 0; i < s->nspec; i++)
		for (int k = 0; k < GENERATIONS; k++)
			strbuf_release(&s->all[i].kept[k].records);
	free(s->all);
	*s = (struct speculations){0};
}

static struct speculation *find(const struct speculations *s, const struct record *r)
{
	uint32_t number = (uint32_t)r->spec;

	return number && number <= s->nspec ? &s->all[number - 1] : NULL;
}

/* The generation's records, or NULL. */
static struct kept *kept_of(struct speculation *p, uint32_t generation)
{
	for (int i = 0; i < GENERATIONS; i++)
		if (p->kept[i].records.len && p->kept[i].generation == generation)
			return &p->kept[i];
	return NULL;
}

static void forget(struct speculations *s, struct kept *k)
{
	s->bytes -= k->records.len;
	strbuf_release(&k->records);
}

/* A place for a new generation: an empty one, or that of the oldest. */
static struct kept *make_place(struct speculations *s, struct speculation *p,
			       uint32_t generation)
{
	struct kept *place = &p->kept[0];

	for (int i = 1; i < GENERATIONS && place->records.len; i++) {
		struct kept *k = &p->kept[i];

		if (!k->records.len || k->generation < place->generation)
			place = k;
	}
	forget(s, place);
	place->generation = generation;
	return place;
}

/* Honest slots keep to specsize each; targets may write anything. */
static bool has_room(const struct speculations *s, const struct kept *k, uint32_t size,
		     size_t nslots)
{
	uint64_t limit;

	if (__builtin_mul_overflow(s->specsize, (uint64_t)nslots, &limit))
		limit = UINT64_MAX;
	return k->records.len + size <= limit && s->bytes + size <= KEPT_MAX;
}

bool speculations_keep(struct speculations *s, const struct record *r, size_t nslots)
{
	struct speculation *p = find(s, r);
	uint32_t generation = (uint32_t)(r->spec >> 32);
	struct kept *k;

	if (!p || generation < p->ended)
		return true;
	k = kept_of(p, generation);
	if (!k)
		k = make_place(s, p, generation);
	if (!has_room(s, k, r->size, nslots))
		return false;
	strbuf_add(&k->records, (const char *)r, r->size);
	s->bytes += r->size;
	return true;
}

static void show(const struct strbuf *records,
		 void (*each)(void *ctx, const struct record *r,
			      const struct record *next),
		 void *ctx)
{
	const char *p = records->data, *end = p + records->len;

	while (p < end) {
		const struct record *r = (const void *)p;

		p += r->size;
		each(ctx, r, p < end ? (const void *)p : NULL);
	}
}

void speculations_end(struct speculations *s, const struct record *r,
		      void (*each)(void *ctx, const struct record *r,
				   const struct record *next),
		      void *ctx)
{
	struct speculation *p = find(s, r);
	uint32_t generation = (uint32_t)(r->spec >> 32);
	struct kept *k;

	if (!p)
		return;
	k = kept_of(p, generation);
	if (k && r->kind == RECORD_COMMIT)
		show(&k->records, each, ctx);
	if (k)
		forget(s, k);
	if (p->ended <= generation)
		p->ended = (uint64_t)generation + 1;
}
