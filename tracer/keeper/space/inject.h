/* SPDX-License-Identifier: MIT */
/*
 * Mapping the regions of hook/resident.h into a process by calls of one of its
 * threads, while all of them stand still.
 *
 * How a file gets there: the thread makes a pair of connected sockets, the
 * keeper takes one end out of it (pidfd_getfd(2)) and sends the files
 * through; the thread receives them on the other, maps them, and closes everything.
 * No path is needed, so mount and other namespaces are no matter.
 */
#ifndef TRACER_KEEPER_SPACE_INJECT_H
#define TRACER_KEEPER_SPACE_INJECT_H

#include "tracer/keeper/space/detours.h"
#include "tracer/keeper/space/keeper_program.h"
#include "tracer/keeper/space/near_alloc.h"
#include "tracer/keeper/space/remote_call.h"

struct injection {
	struct remote_call *remote;
	struct process *process;
	const struct keeper_program *program;
};

/* Installs everything; nothing is left behind on failure. */
int inject_install(const struct injection *in, uint32_t nsites);
/* A new program region takes the place of the old one, if the program has changed. */
int inject_program(const struct injection *in);
/* Rows that resident code does not have yet, for its stacks. */
int inject_rows(const struct injection *in);
/*
 * Maps n bytes at exactly this address, readable and executable. STATUS_FULL, or
 * STATUS_IO: something is there.
 */
int inject_map_at(const struct injection *in, taddr at, uint64_t n);
/*
 * Maps memory for n more stubs around the detours in near: room of it is a new field
 * (the last one). STATUS_FULL: there is no place.
 */
int inject_field(const struct injection *in, struct addr_range near, uint32_t n);

/* Maps an area for out-of-line slots near the code in this range. STATUS_FULL, _GONE. */
int inject_xol_area(struct remote_call *r, struct space *s, struct addr_range near,
		    uint64_t size);

#endif
