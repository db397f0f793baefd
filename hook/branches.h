/* SPDX-License-Identifier: MIT */
/*
 * Private to hook/: what the planner asks beyond hook.h.
 */
#ifndef HOOK_BRANCHES_H
#define HOOK_BRANCHES_H

#include "hook/target.h"

/*
 * Whether all is known that leads to pc. Where it is not, something may arrive at each
 * byte, and the body that holds it has not been read.
 */
bool branches_are_known(const struct hook_branches *b, taddr pc);
/* Whether something was found that leads to pc, as far as was searched. */
bool branches_is_marked(const struct hook_branches *b, uint64_t pc);

/* Whether a function, or a part of one, begins there. */
bool branches_is_start(const struct hook_branches *b, taddr pc);
/* Whether a function or unwind entry holds pc. */
bool branches_is_body(const struct hook_branches *b, taddr pc);
/* What holds pc: functions and unwind entries that overlap. False: nothing does. */
bool branches_body(const struct hook_branches *b, taddr pc, struct addr_range *body);

/*
 * Whether the function that holds pc has a jump through a register or table whose
 * targets are not known.
 */
bool branches_is_computed(const struct hook_branches *b, taddr pc);

/*
 * Whether it is known where the instructions of a function begin, or those of a part of
 * it: as one that reads on from its beginning sees them.
 */
bool branches_are_read(const struct hook_branches *b, struct addr_range part);
/* Of such a part. Whether an instruction begins at pc. */
bool branches_is_insn(const struct hook_branches *b, taddr pc);
/* Moves pc to the beginning of the instruction before; false: it is at lo, or below. */
bool branches_insn_before(const struct hook_branches *b, taddr lo, taddr *pc);

/*
 * The first gap between bodies that ends after `at` and that nothing runs into from
 * before; false when there is none.
 */
bool branches_gap(const struct hook_branches *b, taddr at, struct addr_range *gap);

#endif
