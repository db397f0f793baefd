/* SPDX-License-Identifier: MIT */
/*
 * Removing detours while the program runs: breakpoints take over their sites in one
 * all-stop. (When a process is detached, detour_texts_restore() writes original bytes.)
 */
#ifndef TRACER_KEEPER_THREADS_DETOUR_REMOVE_H
#define TRACER_KEEPER_THREADS_DETOUR_REMOVE_H

#include "tracer/keeper/space/detours.h"
#include "tracer/keeper/threads/core.h"

/*
 * Before detour_remove(): the breakpoint sites that take over, made but without their
 * bytes and copies, with all hits of the detour. Their indexes are appended to out.
 * False when there cannot be one of them; then nothing was added to out.
 */
bool detour_remove_prepare(struct space *s, const struct detour *detour,
			   struct bpt_list *out);

struct detour_removal {
	struct keeper *k;
	struct space *space;
	struct task *self; /* a thread that is stopped already; NULL: none */
	const uint32_t *numbers;
	size_t n;
};
/*
 * Removes detours, by number. Their sites must be prepared, and have their copies.
 * STATUS_BUSY: not all threads could be stopped; the detours stay.
 */
int detour_remove(const struct detour_removal *u);
/*
 * Prepares and removes the detours with these numbers. Those whose sites get no
 * breakpoints are removed all the same: the target matters more. STATUS_BUSY: as above.
 */
int detour_remove_all(struct keeper *k, struct task *self, struct space *s,
		      const struct bpt_list *numbers);

#endif
