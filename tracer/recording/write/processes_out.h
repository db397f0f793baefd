/* SPDX-License-Identifier: MIT */
/*
 * What a recording says of processes: names of threads, and which code is mapped where.
 * It comes from /proc, which says what a process has chosen.
 */
#ifndef TRACER_RECORDING_WRITE_PROCESSES_OUT_H
#define TRACER_RECORDING_WRITE_PROCESSES_OUT_H

#include "symbols/symbols.h"
#include "tracer/recording/write/events_out.h"

/* Zeroed it is empty and ready. */
struct processes_out {
	struct map threads;   /* that have been named: pid << 32 | tid */
	struct map processes; /* by pid: place in names */
	struct {
		struct thread_name {
			char text[16];
		} * data;
		size_t len, cap;
	} names;	     /* of processes */
	struct map mappings; /* that have been written: hashes */
};

void processes_out_release(struct processes_out *p);
/* The thread is about to be named in a sample. */
void processes_out_thread(struct processes_out *p, struct events_out *o,
			  const struct event_place *place);
/* The process has another name, and other code, than before. */
void processes_out_image(struct processes_out *p, struct events_out *o,
			 const struct event_place *place, const struct modules *ms);

#endif
