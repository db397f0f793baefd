/* SPDX-License-Identifier: MIT */
/*
 * Decides how each pending site is served: by a jump, and by which tactic of hook/, or
 * by a breakpoint. Jumps are planned with the module's file and compared with the
 * memory.
 */
#ifndef TRACER_TARGETS_PLAN_H
#define TRACER_TARGETS_PLAN_H

#include "tracer/targets/target.h"

/*
 * Sorts the target's pending sites and plans those that may take a jump: fills
 * target->plans and sets the sites' numbers of plans. Cannot fail: a site that gets no
 * jump has its reason in the plan. If tracing is to end (tracer_is_interrupted()), the
 * remaining sites get no plan. Code images stay in t->images for other processes.
 */
void plan_sites(struct tracer *t, struct target *target);

#endif
