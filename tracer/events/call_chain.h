/* SPDX-License-Identifier: MIT */
/* Call chains as the kernel writes them: perf_event_open(2), PERF_SAMPLE_CALLCHAIN. */
#ifndef TRACER_EVENTS_CALL_CHAIN_H
#define TRACER_EVENTS_CALL_CHAIN_H

#include "tracer/events/origin.h"

/*
 * Sets the stacks of the record to the parts of the chain that follow the kernel's and
 * the process's marker; they point into it. A chain without markers has none.
 */
void call_chain_split(const uint64_t *ips, uint64_t n, struct ring_record *out);

#endif
