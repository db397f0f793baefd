/* SPDX-License-Identifier: MIT */
/*
 * From addresses of code to the numbers of what is there. Sites lie close together and
 * come in order: each page that has any has a list of them. So an address takes eight
 * bytes, and what is near in the code is near here.
 *
 * A bit for each 64 bytes says at once of most addresses that nothing is there. Bits are
 * never taken back.
 */
#ifndef TRACER_KEEPER_SPACE_PLACES_H
#define TRACER_KEEPER_SPACE_PLACES_H

#include "vm/base/host/map.h"
#include "vm/base/taddr.h"

#define GRANULE 64

/* A zeroed one is empty. */
struct places {
	struct map pages; /* number -> index in list */
	struct {
		struct places_page *data;
		size_t len, cap;
	} list;
	size_t len; /* addresses */
};

void places_release(struct places *p);
/* Sets the number of the address, replacing an earlier one. */
void places_set(struct places *p, taddr at, uint32_t number);
/* True and *number when the address is there. */
bool places_get(const struct places *p, taddr at, uint32_t *number);
/* The same for the last address in [lo, hi), which is at most a page and may wrap. */
bool places_last(const struct places *p, taddr lo, taddr hi, uint32_t *number);
void places_remove(struct places *p, taddr at);
/* Whether something is, or was, near [lo, hi), which is short and may wrap. */
bool places_may_have(const struct places *p, taddr lo, taddr hi);

#endif
