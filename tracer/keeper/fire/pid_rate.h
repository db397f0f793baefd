/* SPDX-License-Identifier: MIT */
/*
 * Notices that breakpoints of the pid provider fire so often that the stops are what the
 * program does: PID_RATE_EVENTS within a second, counted in windows of that many events.
 * Any burst of twice as many holds such a window.
 */
#ifndef TRACER_KEEPER_FIRE_PID_RATE_H
#define TRACER_KEEPER_FIRE_PID_RATE_H

#include "vm/base/base.h"

#define PID_RATE_EVENTS 5000

/* Begins zeroed. */
struct pid_rate {
	uint64_t events; /* of this window */
	uint64_t begin;	 /* of its first event, in ns */
	bool is_exceeded;
};

/* Adds n events at the time now, in ns. True once: with them the limit is exceeded. */
bool pid_rate_add(struct pid_rate *r, uint32_t n, uint64_t now);

#endif
