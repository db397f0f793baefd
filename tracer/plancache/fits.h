/* SPDX-License-Identifier: MIT */
/*
 * Whether plans that were kept are plans for what is wanted now, in memory as it is now.
 */
#ifndef TRACER_PLANCACHE_FITS_H
#define TRACER_PLANCACHE_FITS_H

#include "tracer/plancache/tape.h"

/* The plans of one part of a function, while they are read. */
struct plan_fit {
	const struct hook_function *f; /* what is wanted; read() is asked for memory */
	size_t next;		       /* want: all before it have plans */
	taddr floor;		       /* no plan may hold bytes below it */
};

/*
 * Whether the plan is for the next e->n wants, holds bytes of its own in the part or just
 * behind it, and memory has the bytes that it is for. If so, they have their plan.
 */
bool plan_fit_next(struct plan_fit *fit, const struct plan_tape_entry *e);
/* Whether all wants of the part have plans. */
bool plan_fit_is_done(const struct plan_fit *fit);

#endif
