/* SPDX-License-Identifier: MIT */
/*
 * Aggregations of a state block, as the consumer reads them.
 */
#ifndef TESTS_UNIT_SUPPORT_BLOCK_READ_H
#define TESTS_UNIT_SUPPORT_BLOCK_READ_H

#include "vm/agg.h"

/* What agg_walk() needs, but for each() and ctx, until walk_release(). */
void walk_prepare(struct agg_walk *w, struct state *s, const void *image);
void walk_release(struct agg_walk *w);

/* agg_walk() of one slot, as if it were the first of a walk. */
int walk_slot(struct state *s, uint32_t slot, const void *image,
	      void (*each)(void *ctx, const struct agg_entry_view *e), void *ctx);

/* An element by its key. */
struct element_key {
	uint32_t agg;
	const void *bytes;
	size_t size;
};

/* agg_remove() of the key in every slot that is in use. */
void remove_key(struct state *s, const void *image, const struct element_key *k);

#endif
