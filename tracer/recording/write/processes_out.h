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
	struct map read_at;  /* by pid: the second of processes_out_code() */
};

void processes_out_release(struct processes_out *p);
/* The thread is about to be named in a sample. */
void processes_out_thread(struct processes_out *p, struct events_out *o,
			  const struct event_place *place);
/* The thread has this name from now on. */
void processes_out_name(struct processes_out *p, struct events_out *o,
			const struct event_place *place, const char *name,
			bool is_exec);
/* A new thread, with the name of the one that has made it. */
void processes_out_fork(struct processes_out *p, struct events_out *o,
			const struct event_place *place, const struct event_fork *f);
/* A stack of a process that is not traced is about to be written: once a second it is
 * looked up what is mapped there. */
void processes_out_code(struct processes_out *p, struct events_out *o,
			const struct event_place *place);
/* The process has another name, and other code, than before. */
void processes_out_image(struct processes_out *p, struct events_out *o,
			 const struct event_place *place, const struct modules *ms);

#endif
