/* SPDX-License-Identifier: MIT */
/*
 * Probes that the clock of this process fires: tick-N.
 */
#ifndef TRACER_TICKS_H
#define TRACER_TICKS_H

#include "tracer/base/core.h"

/* Zeroed there are none. */
struct ticks {
	struct tick {
		uint32_t probe;
		uint64_t interval, next; /* ns of CLOCK_MONOTONIC */
	} * data;
	size_t len, cap;
};

/* Those that are enabled; the first turn of each is an interval from now. */
void ticks_start(struct ticks *ticks, const struct tracer *t);
/* Fires what is due. A probe that is late fires once; missed turns are skipped. */
void ticks_fire(struct ticks *ticks, struct tracer *t, uint64_t now);
/* When the next is due; UINT64_MAX: never. */
uint64_t ticks_next(const struct ticks *ticks);
void ticks_release(struct ticks *ticks);

#endif
