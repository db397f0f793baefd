/* SPDX-License-Identifier: MIT */
/*
 * The machine that runs the clauses of the kernel's events, in this process. The process
 * that they see is the one in which the event happened: the time, the processor and the
 * stacks are those of the event; what comes from the process's memory or from /proc is
 * read when the event is, a moment later.
 */
#ifndef TRACER_EVENTS_EVENT_ENV_H
#define TRACER_EVENTS_EVENT_ENV_H

#include "tracer/base/host_env.h"
#include "tracer/base/provider.h"
#include "tracer/events/asked.h"
#include "tracer/events/event_format.h"
#include "tracer/events/event_journal.h"
#include "tracer/events/origin.h"
#include "tracer/events/request_file.h"
#include "tracer/events/thread_names.h"
#include "vm/base/host/map.h"
#include "vm/base/proc/procmem.h"

/* A probe, and how its clauses see an event of the kernel. */
struct event_probe {
	uint32_t probe;
	const struct event_format *format; /* borrowed; NULL: a sample */
	const struct kernel_view *view;	   /* of struct kernel_event; or NULL */
	/* Its fields: */
	const struct event_field *conditions[KERNEL_CONDITIONS_MAX], *thread, *result,
		*args[PROVIDER_ARGUMENTS_MAX], *journal;
};

struct event_env {
	struct vm vm;
	struct thread_names *names; /* borrowed */
	/* Called for each process whose stack a clause takes. */
	void (*stack_taken)(void *ctx, uint32_t pid);
	void *ctx;
	/* Of the event being fired. */
	const struct ring_record *event;
	const struct event_probe *probe;
	const struct host_env *front;
	struct event_journal journal; /* its bytes NULL: the event has none */
	bool is_all_told;	      /* by the journal: the event is one of ours */
	struct asked asked;
	uint32_t pid, tid;
	unsigned char *args; /* the struct of args[0], args_room bytes */
	size_t args_room;
	bool has_args;		   /* it is made */
	struct request_file *file; /* of a disk's request; NULL: none was looked for */
	bool has_file;		   /* it is this event's */
	char device
		[32]; /* the name that KERNEL_DEVICE has found last, and of which one */
	uint64_t device_number;
	struct procmem memory;
	uint32_t memory_pid; /* whose memory is open; 0: none */
	bool wakes;	     /* clauses say when their buffer is a quarter full */
	struct map stalled;  /* processes that let a reader wait: not read any more */
};

/*
 * Of a recording (names->is_past) nothing is asked of /proc, whose processes are others:
 * there is no memory, and what /proc would tell is 0 or empty.
 *
 * A zeroed struct, with names, stack_taken and ctx set, is ready.
 */
void event_env_release(struct event_env *v);
/*
 * Sets the event and the probe, which fires in the slot of front, by its present table;
 * all are borrowed. False: the event is none of the probe. Then pid and tid are those
 * that clauses see. told: of a recording, what clauses have asked then; or NULL.
 */
bool event_env_begin(struct event_env *v, const struct host_env *front,
		     const struct event_probe *probe, const struct ring_record *event,
		     const struct event_journal *told);
void event_env_fire(struct event_env *v);
/* What was read of processes is read anew for later events. */
void event_env_forget(struct event_env *v);

#endif
