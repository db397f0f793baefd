/* SPDX-License-Identifier: MIT */
/*
 * What clauses ask of others than the event that fires them, while it is recorded: the
 * memory of the process, what /proc says of it, names of disks. It is a journal
 * (vm/journal.h), which goes into the recording as an event of its own, before the one
 * that it belongs to; from there clauses are told the same once more.
 */
#ifndef TRACER_EVENTS_ASKED_H
#define TRACER_EVENTS_ASKED_H

#include "tracer/events/event_journal.h"
#include "tracer/events/origin.h"
#include "vm/base/host/strbuf.h"

/* The event, of the same time and thread, with the journal in this field. */
#define ASKED_SYSTEM "dtrace"
#define ASKED_NAME   "asked"
#define ASKED_FIELD  "context"

/* Zeroed, nothing is kept. */
struct asked {
	bool is_kept;	       /* a recorder wants it */
	struct strbuf journal; /* of the event */
};

void asked_release(struct asked *a);
/* Another event. */
void asked_begin(struct asked *a);
/* An answer of n bytes; one that was given before, or has no room, is left out. */
void asked_add(struct asked *a, enum journal_kind kind, uint64_t key, const void *bytes,
	       size_t n);
/* Reading memory has given the first done bytes, or the address failed. */
void asked_add_memory(struct asked *a, uint64_t address, const void *bytes, size_t done,
		      bool has_failed);

struct event_format;

/* What a recording tells of the next event. Zeroed: nothing. */
struct told {
	struct event_format *format; /* NULL: it is none of ours */
	uint32_t source;
	uint64_t time; /* of that event, and its thread */
	uint32_t tid;
	struct strbuf bytes;
	struct event_journal journal; /* of them */
};

/* Adds the source with this number, if the origin is a recording that has such events. */
int told_open(struct told *t, struct origin *from, uint32_t source, struct err *e);
void told_release(struct told *t);
/* Whether the record was one of these; then the next one is told this. */
bool told_take(struct told *t, const struct ring_record *r);
/* What the event is told; NULL: nothing. Valid until the next told_take(). */
const struct event_journal *told_of(struct told *t, const struct ring_record *r);

#endif
