/* SPDX-License-Identifier: MIT */
/*
 * Where in a target memory of ours may be mapped: hook/near_search.h applied to the
 * mappings that /proc shows.
 */
#ifndef TRACER_KEEPER_SPACE_NEAR_ALLOC_H
#define TRACER_KEEPER_SPACE_NEAR_ALLOC_H

#include "hook/near_search.h"
#include "tracer/keeper/os/procfs.h"

struct near_alloc {
	struct procfs_maps maps;
	struct near_space space;
	struct addr_range *ranges; /* of space.maps */
};

/* The mappings as they are now. STATUS_GONE. Released by near_alloc_release(). */
int near_alloc_init(struct near_alloc *n, int tid);
void near_alloc_release(struct near_alloc *n);
/* The same again, after a call that failed. */
int near_alloc_renew(struct near_alloc *n, int tid);
/* Notes that this free range is mapped by now. */
void near_alloc_add(struct near_alloc *n, struct addr_range range);
/*
 * The range around addr that is mapped without a gap, up to reach bytes on either side.
 */
struct addr_range near_alloc_module(const struct near_alloc *n, taddr addr,
				    uint64_t reach);

/*
 * An address for size bytes from which all of the range is within reach, free as maps
 * says: below it first, never within 1 GiB above the break or inside what the stack may
 * grow to. 0: there is none.
 */
taddr near_alloc_gap(const struct procfs_maps *maps, struct addr_range near,
		     uint64_t reach, uint64_t size);

#endif
