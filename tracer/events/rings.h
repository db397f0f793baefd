/* SPDX-License-Identifier: MIT */
/*
 * The kernel's event stream: perf events of tracepoints, see perf_event_open(2). The
 * kernel writes the events of each processor to a ring in memory, which is read here. All
 * rings together give one stream in the order of time (CLOCK_MONOTONIC).
 *
 * The kernel never waits for the reader: what a full ring has no room for is lost, and
 * counted.
 */
#ifndef TRACER_EVENTS_RINGS_H
#define TRACER_EVENTS_RINGS_H

#include "tracer/events/origin.h"

struct rings;

/*
 * Makes the rings, without events but those of names. PERM: this user may not; the text
 * says what would be needed.
 */
int rings_open(const struct rings_config *config, const struct rings_of *of,
	       struct rings **out, struct err *e);
void rings_close(struct rings *r);

/*
 * A tracepoint, with its id as config, or samples of what the processors do. What they
 * mean: perf_event_open(2).
 */
struct ring_event {
	uint32_t type, config;
	uint64_t period;
	bool no_user, no_kernel; /* samples there do not count */
};

/*
 * Adds an event. The first one has the number 0, the next one 1. Nothing is written
 * before rings_start().
 */
int rings_add(struct rings *r, const struct ring_event *event, struct err *e);
/* Adds the event of mapping_event.h, of rings that were opened for it. */
void rings_add_mappings(struct rings *r);
/* Whether this machine counts such events; errno says why not. */
bool rings_can_count(const struct ring_event *event);
/* Only events of a source for which the kernel's filter is true: "id == 3 || id == 4". */
int rings_filter(struct rings *r, uint32_t source, const char *filter, struct err *e);
void rings_start(struct rings *r);
void rings_stop(struct rings *r);
/*
 * After rings_stop(), when all has been read: how many events were lost that no record
 * tells of. The kernel writes RING_LOST before the next event that there is room for.
 */
uint64_t rings_missing(const struct rings *r);

/* A descriptor that poll(2) reports when a ring is a quarter full, or at once. */
int rings_fd(const struct rings *r);

/*
 * The earliest record that is not later than limit. False: there is none. Each call gives
 * the space of the record before back to the kernel.
 */
bool rings_next(struct rings *r, uint64_t limit, struct ring_record *out);

#endif
