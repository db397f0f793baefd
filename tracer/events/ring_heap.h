/* SPDX-License-Identifier: MIT */
/*
 * Rings by the time of their next record: the earliest one first, of equal times that
 * with the lowest number. Each change takes the logarithm of their number.
 */
#ifndef TRACER_EVENTS_RING_HEAP_H
#define TRACER_EVENTS_RING_HEAP_H

#include "vm/base/base.h"

/* Zeroed: empty and ready. */
struct ring_heap {
	struct ring_key {
		uint64_t time;
		uint32_t ring;
	} * data; /* of place i not later than those of 2 * i + 1 and 2 * i + 2 */
	size_t len, cap;
};

void ring_heap_release(struct ring_heap *h);
void ring_heap_add(struct ring_heap *h, uint64_t time, uint32_t ring);
/* The first one; NULL: none. Valid until the next change. */
const struct ring_key *ring_heap_first(const struct ring_heap *h);
/* There is a first one: its next record is at another time; or it has none. */
void ring_heap_replace(struct ring_heap *h, uint64_t time);
void ring_heap_remove(struct ring_heap *h);

#endif
