/* SPDX-License-Identifier: MIT */
/*
 * Where there may be something, roughly: a bit for each 64 bytes, for pages that have
 * any. It says at once of most addresses that nothing is there, where a table by address
 * would be asked for each byte. Bits are never taken back.
 */
#ifndef TRACER_KEEPER_SPACE_GRANULES_H
#define TRACER_KEEPER_SPACE_GRANULES_H

#include "vm/base/host/map.h"
#include "vm/base/taddr.h"

#define GRANULE 64

/* A zeroed one is empty. */
struct granules {
	struct map pages; /* number -> bits */
};

void granules_release(struct granules *g);
void granules_add(struct granules *g, taddr at);
/* Whether something may be at an address in [lo, hi), which is short and may wrap. */
bool granules_have(const struct granules *g, taddr lo, taddr hi);

#endif
