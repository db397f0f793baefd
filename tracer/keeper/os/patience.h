/* SPDX-License-Identifier: MIT */
/*
 * How long an address space may be waited for altogether. A thread that the keeper has
 * let run for a step of its own (out of a stub, a remote call, one instruction) must stop
 * again. The waiting of all such steps is added up; 1 ms in 20 is forgiven. At
 * PATIENCE_MS the space is lost: nothing waits for it any more, and it is abandoned
 * (threads/abandon.h).
 */
#ifndef TRACER_KEEPER_OS_PATIENCE_H
#define TRACER_KEEPER_OS_PATIENCE_H

#include "tracer/keeper/os/deadline.h"

#define PATIENCE_MS	   2000
#define PATIENCE_FORGIVING 20 /* ms for each ms that is forgiven */

/* A zeroed struct has all its patience. */
struct patience {
	uint64_t spent_ms, at_ms; /* waiting, as of this time */
	unsigned waits;		  /* that are under way, one inside the other */
	bool is_lost;
};

/* Adds waiting. False: that was too much, and it is lost. */
static inline bool patience_spend(struct patience *p, uint64_t ms)
{
	uint64_t now = deadline_now();
	uint64_t forgiven = p->at_ms ? (now - p->at_ms) / PATIENCE_FORGIVING : 0;

	p->spent_ms -= min_u64(p->spent_ms, forgiven);
	p->at_ms = p->at_ms ? p->at_ms + forgiven * PATIENCE_FORGIVING : now;
	p->spent_ms += ms;
	p->is_lost |= p->spent_ms >= PATIENCE_MS;
	return !p->is_lost;
}

#endif
