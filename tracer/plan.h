/* SPDX-License-Identifier: MIT */
/*
 * Plans the entries of a target's functions for hook/: reads each module's code
 * once, and compares what the file says with what the process has in memory.
 */
#ifndef TRACER_PLAN_H
#define TRACER_PLAN_H

#include "tracer/target.h"

/*
 * How the function's entry may be hooked. Never fails: what cannot be read or
 * planned has its reason. The module's code is kept until plan_release().
 */
void plan_entry(struct target *target, const struct module *m, struct code_range range,
		struct hook_plan *out);
/* Frees what planning has read of the target's modules. */
void plan_release(struct target *target);

/* "jump", "retargeted call", or "breakpoint: REASON" / "refused: REASON", in buf. */
#define PLAN_TEXT_MAX 160
const char *plan_text(const struct hook_plan *plan, char buf[PLAN_TEXT_MAX]);

#endif
