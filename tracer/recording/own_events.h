/* SPDX-License-Identifier: MIT */
/*
 * Our own events in a recording: what tracepoints they are to other programs, and what
 * they mean to dtrace, which writes and reads them.
 *
 * A probe of the provider fpid123 named entry is the tracepoint fpid:entry: the process
 * is that of the sample. Beside those of probes there are
 *
 *	dtrace:recording	lines "key=value" about the whole recording
 *	dtrace:probe		a probe and its number: before its first sample
 *	dtrace:description	which probes a description of the program has matched
 *	dtrace:other		a probe whose tracepoint was not known at the beginning
 *	dtrace:asked		what clauses asked of others when the next event, of the
 *				kernel, came (tracer/events/asked.h)
 *	dtrace:python		a frame of Python and its word, before its first stack
 *
 * Events of the kernel are there as they came, with the kernel's own formats.
 */
#ifndef TRACER_RECORDING_OWN_EVENTS_H
#define TRACER_RECORDING_OWN_EVENTS_H

#include "vm/base/base.h"

#define OWN_SYSTEM	"dtrace"
#define OWN_RECORDING	"recording"
#define OWN_PROBE	"probe"
#define OWN_DESCRIPTION "description"
#define OWN_OTHER	"other"
#define OWN_ASKED	"asked"
#define OWN_PYTHON	"python"

/* Of the meaning of all below, and of vm/journal.h. */
#define OWN_VERSION 1

/* Numbers of tracepoints: 16 bits, and the kernel's own begin at 1. */
#define OWN_ID_FIRST 0x8000u

/* Fields of a probe's tracepoint. */
#define OWN_FIELD_NUMBER   "number" /* uint32_t: as in dtrace:probe */
#define OWN_FIELD_MODULE   "module" /* texts */
#define OWN_FIELD_FUNCTION "function"
#define OWN_FIELD_CONTEXT                                                              \
	"context"	/* bytes: the journal of the firing (vm/journal.h) */
#define OWN_ARGS_MAX 10 /* uint64_t arg0 to arg9 */

/* Fields of dtrace:probe; of its types one in a line, that of args[0] first. */
#define OWN_FIELD_PROVIDER "provider"
#define OWN_FIELD_NAME	   "name"
#define OWN_FIELD_TYPES	   "types"
#define OWN_FIELD_KERNEL   "kernel" /* uint32_t, 1: events of the kernel fire it */

/* Fields of dtrace:description: the numbers from first to last. */
#define OWN_FIELD_FIRST "first"
#define OWN_FIELD_LAST	"last"
#define OWN_FIELD_TEXT	"text" /* also of dtrace:recording */

/* Fields of dtrace:python: the texts function and file as well. */
#define OWN_FIELD_WORD "word" /* uint64_t, of the stack (vm/base/python_name.h) */
#define OWN_FIELD_LINE "line" /* uint32_t, 0: not known */
#define OWN_FIELD_FILE "file"

/* Keys of dtrace:recording. */
#define OWN_KEY_VERSION "version"
#define OWN_KEY_TARGET	"target"  /* $target */
#define OWN_KEY_PROGRAM "program" /* the module that a.out means */
#define OWN_KEY_WALL	"wall"	  /* ns from timestamp to walltimestamp */
#define OWN_KEY_TRACED	"traced"  /* a process: only events of these count */

#endif
