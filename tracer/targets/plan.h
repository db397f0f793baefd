/* SPDX-License-Identifier: MIT */
/*
 * Plans the sites of a target's functions for hook/: reads each module's code
 * once, and compares what the file says with what the process has in memory.
 */
#ifndef TRACER_TARGETS_PLAN_H
#define TRACER_TARGETS_PLAN_H

#include "tracer/targets/target.h"

/*
 * Sorts the target's sites that are not yet sent and plans those of fpid: sets their
 * plan, and target->plans. Never fails: what cannot be read or planned has its reason.
 * Once tracing is to end (tracer_is_interrupted(t)) the rest stays without a plan.
 * The modules' code is kept in t->images for processes that map the same files later.
 */
void plan_sites(struct tracer *t, struct target *target);

#endif
