/* SPDX-License-Identifier: MIT */
/*
 * Records of perf.data, one at a time: of tracepoints, processes, and what is said of
 * both. All carry when and where they were made.
 */
#ifndef TRACER_RECORDING_WRITE_EVENTS_OUT_H
#define TRACER_RECORDING_WRITE_EVENTS_OUT_H

#include "tracer/recording/write/event_file.h"
#include "tracer/recording/write/held_events.h"
#include "tracer/recording/write/tracepoints.h"

#define EVENT_MAX 65528 /* bytes of a record: its size has 16 bits */

/* When and where. */
struct event_place {
	uint64_t time; /* CLOCK_MONOTONIC, ns */
	uint32_t cpu, pid, tid;
};

struct events_out {
	struct event_file *file;
	struct held_events *held; /* NULL: samples go to the file at once */
	bool has_stacks;	  /* samples have call chains */
	size_t len;
	unsigned char bytes[65536]; /* the record being made */
};

/* What a recording begins with: attributes and formats of tracepoints, the machine. */
void events_out_begin(struct events_out *o, const struct tracepoints *ts,
		      const char *const *command, size_t ncommand);

struct event_stacks {
	const uint64_t *kernel, *user; /* at any alignment */
	uint32_t nkernel, nuser;
	bool has_pc; /* the place is known: pc, in_kernel; else the stacks tell */
	uint64_t pc;
	bool in_kernel;
};

/*
 * A sample: begin, add the bytes of the event, end. False: they have no room, and are
 * left out.
 */
void events_out_sample(struct events_out *o, uint32_t number,
		       const struct event_place *p, const struct event_stacks *s);
bool events_out_add(struct events_out *o, const void *bytes, size_t n);
/* The first byte of the event's bytes so far; for fields that are set later. */
unsigned char *events_out_event(struct events_out *o);
void events_out_end(struct events_out *o);
/* The same, but to o->held. */
void events_out_hold(struct events_out *o);

void events_out_name(struct events_out *o, const struct event_place *p,
		     const char *name, bool is_exec);
/* A new process, or a thread of one, and the one that has made it. */
struct event_fork {
	uint32_t pid, parent, tid, parent_tid;
};
void events_out_fork(struct events_out *o, const struct event_place *p,
		     const struct event_fork *f);
void events_out_exit(struct events_out *o, const struct event_place *p);
void events_out_lost(struct events_out *o, const struct event_place *p, uint64_t n);
void events_out_round(struct events_out *o);

/* A mapping with code, as a line of /proc/PID/maps and the file say. */
struct event_map {
	uint64_t address, size, offset, inode;
	uint32_t major, minor;
	const uint8_t *build_id; /* build_id_size bytes, at most 20 are written */
	size_t build_id_size;
	const char *path;
};
void events_out_map(struct events_out *o, const struct event_place *p,
		    const struct event_map *m);
/* The code of the kernel: from address on, where symbol is. */
void events_out_kernel(struct events_out *o, uint64_t address, uint64_t size,
		       const char *symbol);

#endif
