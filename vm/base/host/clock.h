/* SPDX-License-Identifier: MIT */
/*
 * The clocks of the machine in nanoseconds.
 */
#ifndef VM_BASE_HOST_CLOCK_H
#define VM_BASE_HOST_CLOCK_H

#include "vm/base/base.h"

#include <time.h>

/* What clock_gettime(2) says about this clock. */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

/* The time that never jumps: for intervals and deadlines. */
static inline uint64_t clock_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* How long the threads of a process have run, also of one that is not reaped yet; 0: not
 * known. */
static inline uint64_t clock_process_ns(int pid)
{
	struct timespec ts = {0};
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ts))
		return 0;
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

#endif
