/* SPDX-License-Identifier: MIT */
/*
 * How long something is waited for. A pause of the whole machine, as virtual ones make,
 * is not time that a thread had: it counts for little.
 */
#ifndef TRACER_KEEPER_OS_DEADLINE_H
#define TRACER_KEEPER_OS_DEADLINE_H

#include "vm/base/host/clock.h"

#define DEADLINE_STEP_MS 50 /* whoever waits looks more often than that */

struct deadline {
	uint64_t left, last; /* ms */
};

static inline uint64_t deadline_now(void)
{
	return clock_now_ns() / 1000000;
}

static inline struct deadline deadline_in(uint64_t ms)
{
	return (struct deadline){ms, deadline_now()};
}

/* What is left of it, in ms. */
static inline uint64_t deadline_left(struct deadline *p)
{
	uint64_t now = deadline_now();
	uint64_t passed = min_u64(now - p->last, DEADLINE_STEP_MS);

	p->last = now;
	p->left -= min_u64(passed, p->left);
	return p->left;
}

#endif
