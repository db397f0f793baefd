/* SPDX-License-Identifier: MIT */
/*
 * The state block of an address space (vm/state.h): a layout and an exchange of its own,
 * with control and variables of the run. It is made when resident code is installed.
 */
#ifndef TRACER_KEEPER_SPACE_BLOCK_VIEW_H
#define TRACER_KEEPER_SPACE_BLOCK_VIEW_H

#include "tracer/keeper/space/keeper_program.h"

struct block_view {
	struct state *state; /* our view; NULL: not made. Control is read-only in it */
	uint64_t bytes;
	/*
	 * Its regions, in their order. The first two are owned, and -1 when
	 * block_view_close() was called; the others belong to the program.
	 */
	int files[STATE_REGIONS];
};

#define BLOCK_VIEW_NONE ((struct block_view){.files = {-1, -1, -1, -1}})

/* Makes and maps a new one: 0 or STATUS_IO. Nothing is left on failure. */
int block_view_make(struct keeper_program *p, struct block_view *v);
/* Closes the files; the view stays. */
void block_view_close(struct block_view *v);
void block_view_release(struct block_view *v);

#endif
