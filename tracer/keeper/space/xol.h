/* SPDX-License-Identifier: MIT */
/*
 * Scratch memory in the target for moved copies of instructions: mapped by
 * injected calls near the code that needs it (rip-relative operands reach
 * 2 GiB), readable and executable, written through /proc/PID/mem.
 */
#ifndef TRACER_KEEPER_SPACE_XOL_H
#define TRACER_KEEPER_SPACE_XOL_H

#include "tracer/keeper/space/remote.h"

/*
 * An address for size bytes from which all of [lo, hi) is in reach, free as
 * maps says: below first, never within 1 GiB above the break or inside what the
 * stack may grow to. 0: there is none.
 */
uint64_t xol_find_gap(const struct procfs_maps *maps, uint64_t lo, uint64_t hi,
		      uint64_t size);
/* Maps a new arena for the sites in [lo, hi) by the stopped thread of r. */
int xol_map(struct remote *r, struct space *s, const uint64_t range[2], uint64_t size);
/* Unmaps an arena's memory. */
int xol_unmap(struct remote *r, uint64_t lo, uint64_t size);
/* Whether every site of the list that needs a copy has room for it in its reach. */
bool xol_has_room(struct space *s, const struct bpt_list *list);

/* Copies that are placed but not yet written: one run of memory. */
struct xol_run {
	uint64_t lo;
	uint8_t *data;
	size_t len, cap;
};

/*
 * Gives the site its place in an arena and adds its copy to the run, which is
 * written first when it does not go on there. STATUS_FULL: no arena in reach.
 */
int xol_place(struct space *s, uint32_t site, struct xol_run *run);
/* Writes what the run holds, and empties it. */
int xol_flush(struct space *s, struct xol_run *run);

#endif
