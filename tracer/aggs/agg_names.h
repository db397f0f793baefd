/* SPDX-License-Identifier: MIT */
/*
 * Keys of usym(), ufunc() and umod() are addresses, but their rows are rows of names:
 * all addresses with the same printed name belong to one row. The first address found
 * stands for the name, moved to where the symbol or module begins.
 */
#ifndef TRACER_AGGS_AGG_NAMES_H
#define TRACER_AGGS_AGG_NAMES_H

#include "tracer/output/ustack.h"
#include "vm/agg.h"
#include "vm/base/host/map.h"
#include "vm/base/host/strbuf.h"

struct agg_name_place {
	uint64_t pid, address;
};

/* Zero-initialized: empty. */
struct agg_names {
	struct map by_name; /* hash of kind and name -> number of the place */
	struct {
		struct agg_name_place *data;
		size_t len, cap;
	} places;
	struct strbuf key; /* the last key that was changed */
};

void agg_names_release(struct agg_names *n);
/* Forgets all names, keeps the memory of places. */
void agg_names_reset(struct agg_names *n);
/*
 * The element with the key of its row. Its key is the one of e, or lies in n until the
 * next call. image is verified and e->agg one of its aggregations. u may be NULL: then
 * addresses have no names. salt: of hashes, for targets choose the keys.
 */
struct agg_entry_view agg_names_entry(struct agg_names *n, struct ustack *u,
				      const void *image, uint64_t salt,
				      const struct agg_entry_view *e);

#endif
