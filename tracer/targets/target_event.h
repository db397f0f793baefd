/* SPDX-License-Identifier: MIT */
/*
 * What the keeper's events mean for a target.
 */
#ifndef TRACER_TARGETS_TARGET_EVENT_H
#define TRACER_TARGETS_TARGET_EVENT_H

#include "tracer/base/core.h"

/* Acts on one event of the keeper. Takes over its descriptor. */
void target_event(struct tracer *t, const struct link_message *event);

#endif
