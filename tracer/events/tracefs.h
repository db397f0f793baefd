/* SPDX-License-Identifier: MIT */
/*
 * The kernel's tracepoints as files, see Documentation/trace/events.rst: which there are,
 * and what they carry.
 */
#ifndef TRACER_EVENTS_TRACEFS_H
#define TRACER_EVENTS_TRACEFS_H

#include "tracer/events/origin.h"

/*
 * Opens the directory where tracefs is mounted. Returns its descriptor; NOENT: it is not
 * mounted; PERM: this user may not read it. The text says what to do.
 */
int tracefs_open(struct err *e);

/*
 * Calls each() for each tracepoint: "sched", "sched_switch". The names are valid during
 * the call.
 */
int tracefs_each(int dir, tracepoint_found *each, void *ctx, struct err *e);

/*
 * Appends the text of events/SYSTEM/EVENT/format to out. A name that is none of a file,
 * such as one with a slash, is not there.
 */
int tracefs_format(int dir, const char *system, const char *event, struct strbuf *out,
		   struct err *e);

#endif
