/* SPDX-License-Identifier: MIT */
/*
 * The events of the kernel in a run: probes that SOURCE_EVENT fires. Without -p and -c
 * they are those of the whole machine, else of the traced processes.
 */
#ifndef TRACER_EVENTS_EVENTS_H
#define TRACER_EVENTS_EVENTS_H

#include "dlang/type.h"
#include "tracer/base/core.h"
#include "tracer/events/origin.h"

struct events;

/* Takes the events of the kernel as they come, for a recording. */
struct event_sink {
	void *ctx;
	/* The next source, and the text of its format; of samples NULL. */
	void (*source)(void *ctx, const struct origin_event *event, const char *format);
	/* What a thread is called at the beginning. */
	void (*name)(void *ctx, uint32_t pid, uint32_t tid, const char *name);
	/* told: what clauses have asked of others (asked.h), told_size bytes. */
	void (*record)(void *ctx, const struct ring_record *r, const void *told,
		       size_t told_size);
};

/* Whether this user may observe the whole machine. */
bool events_are_permitted(void);

/*
 * Opens what the enabled probes need; *out stays NULL when they need nothing. Nothing is
 * observed before events_start(). PERM, LIMIT, IO: the text says what would be needed.
 */
int events_open(struct tracer *t, struct events **out, struct err *e);
void events_start(struct events *v);
/*
 * Before events_start(): the sink, which is borrowed, gets all sources now, and what
 * comes later. Then no predicate keeps an event from coming. v may be NULL.
 */
void events_record(struct events *v, const struct event_sink *sink);
/* Whether only events of traced processes count, though others come. */
bool events_are_picked(const struct events *v);
/* For poll(2); -1: there are none, or none are wanted before events_wakeup(), in ns. */
int events_fd(const struct events *v, uint64_t now);
uint64_t events_wakeup(const struct events *v, uint64_t now);
/*
 * Fires what has happened, in the order of time; the last millisecond is left for the
 * next call, unless clauses ask for more than the events carry. now: CLOCK_MONOTONIC, ns.
 */
void events_serve(struct events *v, uint64_t now);
/* How far events_replay() has come. */
enum replayed {
	REPLAYED_SOME, /* there is more; what clauses have left may be printed now */
	REPLAYED_TO_LIMIT, /* the next record is later */
	REPLAYED_ALL,
};
/*
 * Of a recording: fires what happened up to limit, a time of its own, or a part of it.
 * The clock of clauses (struct host_past) is that of the records.
 */
enum replayed events_replay(struct events *v, uint64_t limit);
/* The damage at which a recording has ended; 0: none. */
int events_damage(const struct events *v, struct err *e);
/* Observes no more, and fires what has happened, unless tracing has ended by exit(). */
void events_stop(struct events *v);
/* v may be NULL, here and above. */
void events_close(struct events *v);

/* The events are those of a recording. */
bool events_are_past(const struct tracer *t);
/* Whether the probe can fire: always, unless a recording lacks its event. */
bool events_can_fire(const struct tracer *t, const struct probe *p);
/* Appends what the recording holds, for a message. */
void events_describe(const struct tracer *t, struct strbuf *out);
/* Calls found() for each tracepoint; why there is no list, as the text of an error. */
int events_each(struct tracer *t, tracepoint_found *found, void *ctx, struct err *e);

/* Whether there is such a tracepoint; name NULL, of a recording: samples. */
bool events_has(const struct tracer *t, const char *system, const char *name);

/*
 * The type of args[0] of a probe of a tracepoint: a pointer to the struct of its fields.
 * NULL: they are not known; *why, a static text, says why.
 */
const struct type *events_type(const struct tracer *t, const struct probe *p,
			       struct types *ts, const char **why);

#endif
