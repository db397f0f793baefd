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

#include "vm/base/host/err.h"

#include <sys/types.h>

struct rings;

struct rings_config {
	uint64_t bytes; /* of each ring; rounded up to what the kernel takes */
	bool wants_stacks;
	bool wakes_at_once; /* rings_fd() reports each event, not a quarter of a ring */
};

/* What is read from the rings. */
enum ring_kind {
	RING_EVENT,
	RING_NAME, /* a thread is called text from now on */
	RING_FORK, /* tid is a new thread of pid, made by thread parent */
	RING_LOST, /* count events could not be written */
};

struct ring_record {
	enum ring_kind kind;
	uint64_t time; /* CLOCK_MONOTONIC, ns */
	uint32_t cpu, pid, tid, parent;
	uint32_t source; /* RING_EVENT: the number that rings_add() gave */
	uint64_t pc;	 /* where the processor was */
	bool in_kernel;
	/* RING_EVENT, valid until the next call: the event's bytes, as its format says;
	 * the stacks of kernel and process, innermost address first. */
	const unsigned char *bytes;
	uint32_t n;
	const uint64_t *kernel, *user;
	uint32_t nkernel, nuser;
	char text[16]; /* RING_NAME, terminated */
	uint64_t count;
};

/*
 * Makes the rings, without events but those of names. pids: threads to observe, with the
 * threads that they make and, if follows, the processes; n 0: all of the machine. PERM:
 * this user may not; the text says what would be needed.
 */
struct rings_of {
	const pid_t *tids;
	size_t n;
	bool follows;
};
int rings_open(const struct rings_config *config, const struct rings_of *of,
	       struct rings **out, struct err *e);
void rings_close(struct rings *r);

/*
 * Adds a tracepoint by its id, or with an interval in ns samples of what the processors
 * do. The first one has the number 0, the next one 1. Nothing is written before
 * rings_start().
 */
int rings_add(struct rings *r, uint32_t id, uint64_t interval, struct err *e);
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
