/* SPDX-License-Identifier: MIT */
/*
 * Where in a target memory of ours may go: hook/nearmem.h for what /proc says.
 */
#ifndef TRACER_KEEPER_SPACE_NEARBY_H
#define TRACER_KEEPER_SPACE_NEARBY_H

#include "hook/nearmem.h"
#include "tracer/keeper/os/procfs.h"

struct nearby {
	struct procfs_maps maps;
	struct nearmem_space space;
	struct hook_range *ranges; /* of space.maps */
};

/* The mappings as they are now. STATUS_GONE. Released by nearby_release(). */
int nearby_init(struct nearby *n, int tid);
void nearby_release(struct nearby *n);
/* What is mapped without a gap around addr, reach bytes to either side at most. */
struct hook_range nearby_module(const struct nearby *n, uint64_t addr, uint64_t reach);

#endif
