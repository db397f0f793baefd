/* SPDX-License-Identifier: MIT */
/*
 * A source of a run's events: a tracepoint, or samples, with the probes that it fires.
 */
#ifndef TRACER_EVENTS_SOURCE_H
#define TRACER_EVENTS_SOURCE_H

#include "tracer/base/core.h"
#include "tracer/events/event_env.h"

struct source {
	struct event_format *format; /* NULL: of samples */
	struct origin_event event;   /* its names are owned */
	struct {
		struct event_probe *data;
		size_t len, cap;
	} probes; /* that each of its events fires */
	const struct event_field *match;
	struct {
		struct event_probe *data;
		size_t len, cap;
	} chosen; /* by the value of the field match; probe 0: none */
};

/*
 * The kernel drops events of the source that no clause asks for, as far as it can tell.
 * number: of the source in t->origin. A filter that the kernel does not take is left out.
 */
void source_set_filter(const struct source *s, uint32_t number, const struct tracer *t,
		       bool has_kernel_ids);

#endif
