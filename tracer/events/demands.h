/* SPDX-License-Identifier: MIT */
/*
 * What the program of a run wants of the kernel's events, beside what all of them carry.
 */
#ifndef TRACER_EVENTS_DEMANDS_H
#define TRACER_EVENTS_DEMANDS_H

#include "tracer/base/core.h"

/* Whether a clause takes a stack, of the kernel or of the process. */
bool demands_stacks(const struct tracer *t);
/*
 * Whether a clause asks for the memory of the process, or for what /proc says of it: then
 * clauses must run at once, before the process goes on far.
 */
bool demands_processes(const struct tracer *t);
/* Whether a probe is fired by the event of mapping_event.h. */
bool demands_mappings(const struct tracer *t);

#endif
