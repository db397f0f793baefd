/* SPDX-License-Identifier: MIT */
/*
 * What clauses inside a process must not see of us: the bytes that its jumps and
 * breakpoints cover, listed in the resident block (hook/resident.h). They are kept from
 * the moment on when some clause there may read memory; before, and in processes
 * without resident code, all of this does nothing.
 *
 * Bytes are listed before threads can meet them, so: before they are written, or in
 * the all-stop in which they are. A mask that is left over harms nothing, for only our
 * own bytes are replaced.
 */
#ifndef TRACER_KEEPER_SPACE_SHADOW_H
#define TRACER_KEEPER_SPACE_SHADOW_H

#include "vm/base/base.h"

struct bpt_list;
struct text_patches;
struct space;

struct shadow_entry {
	uint64_t at, original, ours; /* of struct resident_mask */
};

struct shadow_list {
	struct shadow_entry *data; /* ascending, apart */
	size_t len, cap;
};

struct shadow {
	bool is_kept;
	uint64_t turn; /* of the list in use */
	struct shadow_list list;
};

void shadow_release(struct shadow *m);

/* From now on; what stands already is listed. In a all-stop. */
void shadow_keep(struct space *s);
/* Hooks of the list that are on, whose bytes text_patches_of() set; and those undone. */
void shadow_add_patches(struct space *s, const struct text_patches *set);
void shadow_remove_patches(struct space *s, const struct text_patches *undone);
/* Breakpoint sites of the list that are set, or about to be. */
void shadow_add_bytes(struct space *s, const struct bpt_list *sites);
/* What lay in [lo, hi) has gone. */
void shadow_forget(struct space *s, uint64_t lo, uint64_t hi);

#endif
