/* SPDX-License-Identifier: MIT */
/*
 * System calls as raw_syscalls tells of them, from the tracepoints of single ones,
 * syscalls:sys_enter_NAME: these have the number and the arguments at the same places.
 */
#ifndef TRACER_RECORDING_READ_CALLS_H
#define TRACER_RECORDING_READ_CALLS_H

#include "tracer/recording/read/tracing_data.h"
#include "vm/base/host/strbuf.h"

/* Whether the events of f stand for those of system:name. */
bool calls_are_of(const struct recorded_format *f, const char *system,
		  const char *name);
/* Appends the format that they are read by; false: system:name is of no calls. */
bool calls_format(const char *system, const char *name, struct strbuf *out);

#endif
