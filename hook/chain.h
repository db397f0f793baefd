/* SPDX-License-Identifier: MIT */
/*
 * Private to hook/: which instructions chained jumps take over, and where their heads
 * are.
 */
#ifndef HOOK_CHAIN_H
#define HOOK_CHAIN_H

#include "hook/plan.h"

/*
 * Chained jumps from `at` on that take over at least all instructions up to `end`: fills
 * in p->plan but for its sites. The reason is why there can be none.
 */
enum hook_reason chain_plan(const struct planning *p, taddr at, taddr end);

/* Where the opcode of each head is, from plan->patch on: prefixes may come before it. */
void chain_opcodes(const struct hook_plan *plan, uint8_t at[HOOK_HEADS_MAX]);
/* Where the jump goes to whose opcode is there, when these are the patched bytes. */
taddr chain_landing(const struct hook_plan *plan, const uint8_t *bytes, size_t op);
/* Writes them and the prefixes; is_known: which bytes these are. */
void chain_write_opcodes(const struct hook_plan *plan, const uint8_t *ops,
			 uint8_t *bytes, bool *is_known);
/* Whether the bytes are a choice of hook_chain_choose(), wherever it may lead. */
bool chain_is_written(const struct hook_plan *plan, const uint8_t *bytes);

#endif
