/* SPDX-License-Identifier: MIT */
/*
 * What clauses inside a process must not see of us: the bytes that its jumps and
 * breakpoints cover, listed in the resident block (hook/resident.h). They are kept from
 * the moment on when some clause there may read memory; before, and in processes
 * without resident code, all of this does nothing.
 *
 * Bytes are listed before threads can meet them, so: before they are written, or in
 * the standstill in which they are. A mask that is left over harms nothing, for only our
 * own bytes are replaced.
 */
#ifndef TRACER_KEEPER_SPACE_MASKS_H
#define TRACER_KEEPER_SPACE_MASKS_H

#include "vm/base/base.h"

struct bpt_list;
struct patches;
struct space;

struct masks_entry {
	uint64_t at, original, ours; /* of struct resident_mask */
};

struct masks_list {
	struct masks_entry *data; /* ascending, apart */
	size_t len, cap;
};

struct masks {
	bool is_kept;
	uint64_t turn; /* of the list in use */
	struct masks_list list;
};

void masks_release(struct masks *m);

/* From now on; what stands already is listed. In a standstill. */
void masks_keep(struct space *s);
/* Hooks of the list that are on, whose bytes patches_of() set; and those undone. */
void masks_add_jumps(struct space *s, const struct patches *set);
void masks_remove_jumps(struct space *s, const struct patches *undone);
/* Breakpoint sites of the list that are set, or about to be. */
void masks_add_bytes(struct space *s, const struct bpt_list *sites);
/* What lay in [lo, hi) has gone. */
void masks_forget(struct space *s, uint64_t lo, uint64_t hi);

#endif
