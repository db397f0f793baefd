/* SPDX-License-Identifier: MIT */
/*
 * The functions of a space whose frames fire a probe when they are left without a return
 * (KEEPER_REQ_FRAMES).
 */
#ifndef TRACER_KEEPER_FRAMES_FRAMES_H
#define TRACER_KEEPER_FRAMES_FRAMES_H

#include "tracer/keeper/os/link.h"

struct frames {
	struct keeper_frame *data; /* by the beginning of the range, then by probe */
	uint64_t *reach;	   /* the highest end of data[0..i] */
	size_t len;
};

/*
 * Replaces *f by a copy of the list. On failure it stays as it was: STATUS_BADFMT if the
 * list is malformed.
 */
int frames_set(struct frames **f, struct link_memory list, struct err *e);
void frames_free(struct frames *f);
/* Those that begin in the range have gone with their mapping. f may be NULL. */
void frames_forget(struct frames *f, struct addr_range r);

/*
 * The last element at or before data[i - 1] whose range holds pc, as i; 0: none. The
 * first call of a search has i = f->len.
 */
size_t frames_find(const struct frames *f, taddr pc, size_t i);

#endif
