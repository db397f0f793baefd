/* SPDX-License-Identifier: MIT */
/*
 * Decides how each pending site is served: by a jump, and by which tactic of hook/, or
 * by a breakpoint. Jumps are planned with the module's file and compared with the
 * memory.
 */
#ifndef TRACER_TARGETS_PLAN_H
#define TRACER_TARGETS_PLAN_H

#include "tracer/targets/target.h"

/* For so many parts of functions not all code of a large module is read. */
#define PLAN_FEW 256

/*
 * Sites of the module may be planned later: its file is read, and a thread looks for
 * branches meanwhile, unless there may be plans of an earlier run (plancache.h). Of a
 * large module only once there are many sites, in more than PLAN_FEW parts: for few,
 * planning itself looks for what leads to them.
 */
void plan_prepare(struct tracer *t, const struct module *m, bool has_many);

/*
 * Planning, some sites at a time:
 *
 *	plan_begin()	sorts the target's pending sites and takes them over
 *	plan_next()	makes the next `most` of them, or a few more, those of the target
 *			again, with their plans in target->plans: those that may take a
 *			jump have a number of a plan. False: none are left, or tracing is
 *			to end (tracer_is_interrupted())
 *	plan_end()	forgets sites that are left, and frees what planning needed.
 *			Code images stay in t->images for other processes
 *
 * Plans of whole modules are kept for later runs, and those of earlier ones are used.
 * Planning cannot fail: a site that gets no jump has its reason in its plan. Sites that
 * were made the target's before may have been set meanwhile.
 */
struct plan_run;
struct plan_run *plan_begin(struct tracer *t, struct target *target);
bool plan_next(struct plan_run *run, size_t most);
void plan_end(struct plan_run *run);
/* How many sites plan_next() has come to, and of how many. */
size_t plan_done(const struct plan_run *run);
size_t plan_total(const struct plan_run *run);

/* Plans all at once. If tracing is to end, the remaining sites get no plan. */
void plan_sites(struct tracer *t, struct target *target);

#endif
