/* SPDX-License-Identifier: MIT */
/*
 * Which event of the kernel a description that matches nothing may have meant.
 */
#ifndef TRACER_PROVIDERS_SUGGEST_EVENT_H
#define TRACER_PROVIDERS_SUGGEST_EVENT_H

#include "tracer/base/core.h"

/*
 * Finds the event for a description such as sdt:sched::sched_swich, sched:sched_switch or
 * tracepoint:sched:sched_switch. True: found has its four fields, valid until the next
 * probes_add(). Makes all probes of sdt.
 */
bool suggest_event(struct tracer *t, const char *const field[4], const char *found[4]);

#endif
