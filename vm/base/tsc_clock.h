/* SPDX-License-Identifier: MIT */
/*
 * CLOCK_MONOTONIC by the processor's time-stamp counter, for one thread. The clock of the
 * system is read at least every TSC_CLOCK_WINDOW ticks; in between the time is what it
 * was, and what the counter has advanced. That takes half the time of the vDSO's
 * clock_gettime(), which waits until all earlier instructions are done and checks whether
 * the kernel changes its parameters.
 *
 * The rate is measured against the clock of the system, over up to a second. So the time
 * differs from that clock by a few ns; where the counter is stopped or set, as by the
 * suspension of a machine, by no more than passes in a window. It never goes back.
 *
 * Only for machines whose clock of the system is that counter: there the kernel has
 * verified that it is the same on all processors.
 */
#ifndef VM_BASE_TSC_CLOCK_H
#define VM_BASE_TSC_CLOCK_H

#include "vm/base/base.h"

/* A tenth of a millisecond at 2.6 GHz. */
#define TSC_CLOCK_WINDOW (UINT64_C(1) << 18)

/* All zero: knows nothing yet. Machine code (vm/native/) reads the first five too. */
struct tsc_clock {
	uint64_t ticks, time; /* the counter and the clock when both were read */
	uint64_t window;      /* how many ticks that may be used for; 0: none */
	uint64_t rate;	      /* ns a tick, times 2^32 */
	uint64_t last;	      /* the latest time that was given */
	uint64_t origin_ticks,
		origin_time; /* where measuring the rate began; 0: nowhere */
};

/* The time when the counter is `ticks`; 0: the clock of the system has to be read. */
static inline uint64_t tsc_clock_at(struct tsc_clock *c, uint64_t ticks)
{
	const uint64_t passed = ticks - c->ticks;
	uint64_t now;

	if (passed >= c->window)
		return 0;
	now = c->time + (passed * c->rate >> 32);
	c->last = max_u64(c->last, now);
	return c->last;
}

/*
 * The clock of the system was `time` between these two ticks. Returns the time, which is
 * not before any that was given.
 */
uint64_t tsc_clock_set(struct tsc_clock *c, uint64_t before, uint64_t time,
		       uint64_t after);

#endif
