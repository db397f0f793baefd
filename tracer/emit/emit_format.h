/* SPDX-License-Identifier: MIT */
/*
 * An event of emit(), as the kernel wants it: for user_events a declaration and packed
 * bytes (Documentation/trace/user_events.rst), for trace_marker a line of text.
 *
 * Fields are time (of the event, CLOCK_MONOTONIC in ns), pid, tid and cpu, then arg0,
 * arg1 ...: a number of 64 bits or a text.
 */
#ifndef TRACER_EMIT_EMIT_FORMAT_H
#define TRACER_EMIT_EMIT_FORMAT_H

#include "vm/base/host/strbuf.h"
#include "vm/program.h"
#include "vm/record.h"

#define EMIT_LINE_MAX 1000 /* bytes of a line; trace_marker cuts longer ones */

/* What a firing has recorded for an action. */
struct emit_event {
	const void *image;
	const struct program_action *action;
	const struct record *record;
	const void *data; /* a tuple of the action's fields, from a target */
	size_t n;
};

/* Appends "name u64 time; s32 pid; ... ; s64 arg0; __rel_loc char[] arg1". */
void emit_declaration(const void *image, const struct program_action *action,
		      struct strbuf *out);
/*
 * Appends the bytes of the event's fields, without alignment; a text as length << 16 |
 * the distance from there to its bytes, which end in a NUL. BADFMT.
 */
int emit_bytes(const struct emit_event *x, struct strbuf *out);
/*
 * Appends "name: time=1.000000002 pid=3 tid=4 cpu=0 arg0=5 arg1="text"\n". Texts are
 * escaped as in JSON. BADFMT.
 */
int emit_line(const struct emit_event *x, struct strbuf *out);

#endif
