/* SPDX-License-Identifier: MIT */
/*
 * The kernel's events of a run, which go to its recording as they came: the bytes of each
 * one, its stacks, and the names of threads.
 */
#ifndef TRACER_RECORDING_WRITE_KERNEL_EVENTS_H
#define TRACER_RECORDING_WRITE_KERNEL_EVENTS_H

#include "tracer/events/events.h"
#include "tracer/recording/write/processes_out.h"

struct kernel_events {
	/* Borrowed; set before kernel_events_begin(). */
	struct events_out *out;
	struct processes_out *processes;
	struct tracepoints *tracepoints;
	uint64_t began; /* of the recording, ns */
	struct event_sink sink;
	struct {
		uint32_t *data;
		size_t len, cap;
	} numbers;	/* of tracepoints, by source */
	uint64_t count; /* of events */
	bool has_new;	/* since somebody has cleared it */
};

void kernel_events_release(struct kernel_events *k);
/*
 * Adds what there is to the tracepoints; from now on all goes to out. No events: it does
 * nothing.
 */
void kernel_events_begin(struct kernel_events *k, struct events *events);
/* The attributes are written: says where the kernel's code is, if stacks need it. */
void kernel_events_put_code(const struct kernel_events *k);

#endif
