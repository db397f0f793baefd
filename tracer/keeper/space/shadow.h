/* SPDX-License-Identifier: MIT */
/*
 * Shadowed bytes: the program's own bytes under our jumps and breakpoints, listed in the
 * resident block (hook/resident.h) so that a clause that runs inside the process reads
 * these instead of ours. The list is kept from the moment on when some clause there may
 * read memory.
 *
 * Bytes are listed before a thread can meet them: before they are written, or in the
 * all-stop in which they are. An entry that is left over does no harm, because only
 * our own bytes are replaced.
 */
#ifndef TRACER_KEEPER_SPACE_SHADOW_H
#define TRACER_KEEPER_SPACE_SHADOW_H

#include "vm/base/taddr.h"

struct resident_view;

struct shadow_entry {
	uint64_t at, original, ours; /* as of struct resident_shadow */
};

/* A zeroed struct is empty. */
struct shadow_list {
	struct shadow_entry
		*data; /* ascending, apart, once they are in a struct shadow */
	size_t len, cap;
};

struct shadow {
	bool is_kept;
	uint64_t turn; /* of the list in use */
	struct shadow_list list;
};

void shadow_release(struct shadow *m);

/* Adds n bytes at this address to a list of changes, in any order. */
void shadow_note(struct shadow_list *list, taddr at, const uint8_t *original,
		 const uint8_t *ours, size_t n);
/*
 * Inserts the entries of the list, which replace those that they overlap, or removes the
 * entries that they overlap; then publishes the new list to the block. Both release the
 * list. Threads may run.
 */
void shadow_insert(struct shadow *m, const struct resident_view *v,
		   struct shadow_list *list);
void shadow_remove(struct shadow *m, const struct resident_view *v,
		   struct shadow_list *list);
/* Removes the entries in the range: their mapping has gone. */
void shadow_forget(struct shadow *m, const struct resident_view *v,
		   struct addr_range r);

#endif
