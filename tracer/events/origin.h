/* SPDX-License-Identifier: MIT */
/*
 * Where the events of a run come from: the kernel that runs (kernel_origin.c), or a
 * recording. Either gives one stream of records in the order of time, and says which
 * events it has and what they carry.
 */
#ifndef TRACER_EVENTS_ORIGIN_H
#define TRACER_EVENTS_ORIGIN_H

#include "tracer/base/hardware.h"
#include "vm/base/host/err.h"
#include "vm/base/host/strbuf.h"

#include <sys/types.h>

enum ring_kind {
	RING_EVENT,
	RING_NAME, /* a thread is called text from now on */
	RING_FORK, /* tid is a new thread of pid, made by thread parent */
	RING_LOST, /* count events could not be written */
};

struct ring_record {
	enum ring_kind kind;
	uint64_t time; /* ns; of the kernel that runs CLOCK_MONOTONIC */
	uint32_t cpu, pid, tid, parent, parent_pid;
	bool is_exec;	 /* RING_NAME: the process executes another program */
	uint32_t source; /* RING_EVENT: the number of the call of add() */
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

struct rings_config {
	uint64_t bytes; /* of each ring; rounded up to what the kernel takes */
	bool wants_stacks;
	bool wakes_at_once;  /* fd() reports each event, not a quarter of a ring */
	bool wants_mappings; /* the event of mapping_event.h will be added */
};

/*
 * Threads to observe, with the threads that they make and, if follows, the processes;
 * n 0: all of the machine.
 */
struct rings_of {
	const pid_t *tids;
	size_t n;
	bool follows;
};

typedef void tracepoint_found(void *ctx, const char *system, const char *event);

/*
 * A tracepoint; name NULL: samples of what the processors do, one when a counter has
 * counted interval: of ns, for the clock.
 */
struct origin_event {
	const char *system, *name;
	uint32_t id; /* of its format */
	uint64_t interval;
	uint32_t type, config;	 /* of the counter, see perf_event_open(2) */
	bool no_user, no_kernel; /* what happens there is not counted */
};

struct origin;
struct ustack;

struct origin_calls {
	/* Calls found() for each tracepoint that it has; the names are valid during the
	 * call. The text of an error says why there is no list. */
	int (*each)(struct origin *o, tracepoint_found *found, void *ctx,
		    struct err *e);
	/* Appends the text of the tracepoint's format file to out. */
	int (*format)(struct origin *o, const char *system, const char *event,
		      struct strbuf *out, struct err *e);
	/* Once, before all below, but free(). */
	int (*open)(struct origin *o, const struct rings_config *config,
		    const struct rings_of *of, struct err *e);
	/* The first one has the number 0, the next one 1. */
	int (*add)(struct origin *o, const struct origin_event *event, struct err *e);
	/* Only events of a source for which the filter is true: "id == 3 || id == 4".
	 * NULL: it gives all of them. */
	int (*filter)(struct origin *o, uint32_t source, const char *filter,
		      struct err *e);
	void (*start)(struct origin *o);
	void (*stop)(struct origin *o);
	/* The earliest record that is not later than limit. False: there is none. It is
	 * valid until the next call. */
	bool (*next)(struct origin *o, uint64_t limit, struct ring_record *out);
	/* After stop(), when all has been read: how many events were lost that no record
	 * tells of. */
	uint64_t (*missing)(const struct origin *o);
	/* For poll(2): records can be read; -1: never. */
	int (*fd)(const struct origin *o);
	/* Whether it tells what its machine has of a kind, at any time; adds what it
	 * tells of all kinds. */
	bool (*tells)(const struct origin *o, enum hardware_kind kind);
	void (*hardware)(const struct origin *o, struct hardware *out);
	/* The rest is of recordings, and NULL for a kernel that runs. */
	/* Appends to out what it holds, for a message: "sdt:sched::sched_switch, ...". */
	void (*describe)(const struct origin *o, struct strbuf *out);
	/* Whether it has the tracepoint, or with name NULL samples. */
	bool (*has)(const struct origin *o, const char *system, const char *name);
	/* Whether it has the samples that add() would give. */
	bool (*has_samples)(const struct origin *o, const struct origin_event *event);
	/* When it begins, and the wall clock then; 0: it does not tell. */
	uint64_t (*begin)(const struct origin *o, uint64_t *wall);
	/* After next() has given false: there is nothing later than limit either. */
	bool (*is_over)(const struct origin *o);
	/* After next() has given false: it was not the end, but damage. */
	int (*damage)(const struct origin *o, struct err *e);
	/* What is known of the process now, whose stack is taken, goes to u. */
	void (*name_process)(struct origin *o, struct ustack *u, uint32_t pid);
	/* The names of the recorded kernel go to u. */
	void (*name_kernel)(struct origin *o, struct ustack *u);
	/* Notices about what was read, one after the other; NULL: no more. */
	const char *(*notice)(struct origin *o);
	/* Ends what open() has begun. u: where names went; or NULL. */
	void (*close)(struct origin *o, struct ustack *u);
	void (*free)(struct origin *o);
};

/* The first member of each kind of origin. */
struct origin {
	const struct origin_calls *calls;
	/* A recording: its time is not the clock's, and /proc knows nothing of its
	 * processes. */
	bool is_past;
};

/* The kernel that runs. Opens nothing yet. */
struct origin *kernel_origin_new(void);
/* o may be NULL. */
void origin_free(struct origin *o);

#endif
