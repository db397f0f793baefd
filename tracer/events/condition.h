/* SPDX-License-Identifier: MIT */
/* Conditions of struct kernel_view: tested here, or by the kernel before. */
#ifndef TRACER_EVENTS_CONDITION_H
#define TRACER_EVENTS_CONDITION_H

#include "tracer/base/provider.h"
#include "tracer/events/event_format.h"
#include "tracer/events/filter.h"

/* Whether the field with this value counts. */
bool condition_is_met(const struct kernel_condition *c, uint64_t value);
/* The same as a test of the kernel's. False: the kernel cannot make it. */
bool condition_test(const struct event_field *field, const struct kernel_condition *c,
		    struct filter_test *out);

#endif
