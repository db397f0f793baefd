/* SPDX-License-Identifier: MIT */
/*
 * Deadlines that do not count pauses of the whole machine. A virtual machine may stop for
 * seconds; no thread could make progress in that time, so it counts as one step only.
 */
#ifndef TRACER_KEEPER_OS_DEADLINE_H
#define TRACER_KEEPER_OS_DEADLINE_H

#include "vm/base/host/clock.h"

#define DEADLINE_STEP_MS 50 /* the longest time that one look at a deadline counts */

struct deadline {
	uint64_t left, last; /* ms: still to wait; time of the last look */
};

static inline uint64_t deadline_now(void)
{
	return clock_now_ns() / 1000000;
}

/* A deadline in this many ms from now. */
static inline struct deadline deadline_in(uint64_t ms)
{
	return (struct deadline){ms, deadline_now()};
}

/* The ms that are left; 0: it has passed. To be called more often than each step. */
static inline uint64_t deadline_left(struct deadline *p)
{
	uint64_t now = deadline_now();
	uint64_t passed = min_u64(now - p->last, DEADLINE_STEP_MS);

	p->last = now;
	p->left -= min_u64(passed, p->left);
	return p->left;
}

#endif
