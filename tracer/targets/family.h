/* SPDX-License-Identifier: MIT */
/*
 * The children that a process has when tracing begins (-x follow with -p).
 */
#ifndef TRACER_TARGETS_FAMILY_H
#define TRACER_TARGETS_FAMILY_H

#include "tracer/base/core.h"

struct target;

/* The values of the option follow, besides 0. */
enum { FOLLOW_ALL = 1, FOLLOW_NEW = 2 };

/*
 * Attaches to all living descendants of the target and sets the probes of its family in
 * them. The keeper follows the target already (target_follow()): what it forks from then
 * on comes as an event. One that cannot be traced is reported, and left out.
 */
void family_attach(struct tracer *t, const struct target *target);

#endif
