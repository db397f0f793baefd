/* SPDX-License-Identifier: MIT */
#include "tests/unit/support/block_read.h"

#include <stdlib.h>
#include <string.h>

void walk_prepare(struct agg_walk *w, struct state *s, const void *image)
{
	*w = (struct agg_walk){
		.state = s,
		.image = image,
		.seen = calloc(agg_seen_words(s), sizeof(*w->seen)),
		.table = calloc(agg_table_entries(s) + 1, sizeof(*w->table)),
		.copy = calloc(1, agg_copy_bytes()),
	};
}

void walk_release(struct agg_walk *w)
{
	free(w->seen);
	free(w->table);
	free(w->copy);
}

int walk_slot(struct state *s, uint32_t slot, const void *image,
	      void (*each)(void *ctx, const struct agg_entry_view *e), void *ctx)
{
	struct agg_walk w;
	int rc;

	walk_prepare(&w, s, image);
	w.each = each;
	w.ctx = ctx;
	rc = agg_walk(&w, slot);
	walk_release(&w);
	return rc;
}

struct removal {
	struct state *state;
	uint32_t slot;
	const struct element_key *key;
};

static void remove_if(void *ctx, const struct agg_entry_view *e)
{
	const struct removal *r = ctx;
	const struct agg_mark mark = {r->slot,	   e->agg,	e->key,
				      e->key_size, e->sequence, e->offset};
	uint32_t tries = 0;

	if (e->agg == r->key->agg && e->key_size == r->key->size &&
	    memcmp(e->key, r->key->bytes, e->key_size) == 0)
		agg_remove(r->state, &mark, &tries);
}

void remove_key(struct state *s, const void *image, const struct element_key *k)
{
	struct removal r = {.state = s, .key = k};

	for (; r.slot < state_slots_used(s); r.slot++)
		walk_slot(s, r.slot, image, remove_if, &r);
	state_renew(s);
}
