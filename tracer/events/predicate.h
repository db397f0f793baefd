/* SPDX-License-Identifier: MIT */
/*
 * What the predicate of a clause asks of an event, as far as the kernel can test it.
 */
#ifndef TRACER_EVENTS_PREDICATE_H
#define TRACER_EVENTS_PREDICATE_H

#include "tracer/events/event_env.h"
#include "tracer/events/filter.h"

struct predicate {
	const void *image; /* verified */
	uint32_t clause;
	const struct event_probe *probe;
	bool has_kernel_ids; /* the ids that this process sees are the kernel's */
};

/*
 * Adds to f what is true of each event of the probe for which the clause must run: its
 * predicate is true or has an effect (a fault, an assignment). All tests of given are
 * true of them too.
 */
void predicate_filter(const struct predicate *p, const struct filter_term *given,
		      struct filter *f);

#endif
