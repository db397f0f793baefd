/* SPDX-License-Identifier: MIT */
/*
 * Chained jumps. A head is made wherever something arrives within the next four bytes,
 * and where code goes on behind an instruction that control does not pass:
 *
 *	xor %eax,%eax  |  e9 x0 x1          x0 x1 e9 y0
 *	ret            |
 *	xor %eax,%eax  |           e9 y0 y1          y0 y1 e9 d0
 *	ret            |
 *	push %rbp ...  |                    e9 d0 d1 d2 d3       any
 *
 * All instructions are moved into one stub, in their order, and each head has its own way
 * into it. Of the four bytes that say where a head leads to, its own and those that no
 * later head fixes can be chosen.
 */
#include "hook/chain.h"

#include "hook/branches.h"
#include "vm/base/bytes.h"

enum { OP_JMP = 0xe9, OP_CS = 0x2e };

#define DISPLACEMENT 4

/* The function of the code at `at`: this one, or one that begins behind it. */
static bool find_range(const struct planning *p, taddr at, struct planning *there)
{
	struct addr_range body;

	*there = *p;
	there->jump = HOOK_JUMP;
	if (at.v >= p->hi.v) {
		if (!branches_body(p->branches, at, &body) || body.lo.v < p->hi.v)
			return false;
		there->lo = body.lo;
		there->hi = body.hi;
	}
	return planning_begin(there, at);
}

/* Whether something arrives at one of the n bytes after `at`. */
static bool is_entered(const struct planning *p, size_t at, size_t n)
{
	for (size_t i = 1; i <= n; i++)
		if (hook_branches_has(p->branches, taddr_add(p->at, (int64_t)(at + i))))
			return true;
	return false;
}

/* Where the padding from `at` on ends; control does not come from before. */
static size_t skip_padding(const struct planning *p, size_t at)
{
	struct insn in;

	while (!hook_branches_has(p->branches, taddr_add(p->at, (int64_t)at)) &&
	       planning_decode(p, at, &in) == 0 && in.is_nop &&
	       !is_entered(p, at, in.len - 1U)) {
		p->plan->ninsns++;
		at += in.len;
	}
	return at;
}

/* One instruction of a head, `at` bytes on, if it can be moved. */
static bool take_insn(const struct planning *p, size_t at, struct insn *in)
{
	taddr pc = taddr_add(p->at, (int64_t)at);
	struct hook_plan one = {.site = pc};
	struct planning there = *p;

	there.jump = 1;
	there.plan = &one;
	if (!planning_begin(&there, pc) || planning_decode(&there, 0, in) != 0 ||
	    plan_region(&there, taddr_add(pc, in->len)) ||
	    is_entered(p, at, in->len - 1U))
		return false;
	p->plan->ninsns++;
	return true;
}

/*
 * From one head to the next, when there is no room for a jump before it: 0 when there can
 * be none. Adds to the instructions of the plan.
 */
static size_t next_head(const struct planning *p)
{
	size_t at = 0;
	struct insn in;

	while (at < HOOK_JUMP) {
		if (at && hook_branches_has(p->branches, taddr_add(p->at, (int64_t)at)))
			return at;
		if (!take_insn(p, at, &in))
			return 0;
		at += in.len;
		if (!insn_falls_through(&in))
			return skip_padding(p, at);
	}
	return 0;
}

/* The last head: a jump like any other, over the rest. */
static enum hook_reason end_chain(struct planning *there, size_t at, taddr end,
				  struct hook_plan *plan)
{
	struct hook_plan last = {.site = there->at};
	enum hook_reason reason;
	struct insn first;

	there->plan = &last;
	reason = plan_first(there, &first);
	if (!reason)
		reason = plan_region(there,
				     taddr_of(max_u64(end.v, there->at.v + first.len)));
	there->plan = plan;
	if (reason)
		return reason;
	if (at + last.covered > HOOK_COVERED_MAX)
		return HOOK_REASON_TOO_SHORT;
	plan->covered = (uint8_t)(at + last.covered);
	plan->padding = last.padding;
	plan->ninsns = (uint8_t)(plan->ninsns + last.ninsns);
	return HOOK_REASON_NONE;
}

enum hook_reason chain_plan(const struct planning *p, taddr first, taddr end)
{
	struct hook_plan *plan = p->plan;
	enum hook_reason reason = HOOK_REASON_NONE;
	struct planning there;
	size_t at = 0, step;

	plan->tactic = HOOK_JMP_CHAIN;
	plan->patch = first;
	plan->ninsns = plan->nheads = 0;
	while (plan->nheads < HOOK_HEADS_MAX) {
		if (!find_range(p, taddr_add(first, (int64_t)at), &there))
			return HOOK_REASON_TOO_SHORT;
		plan->heads[plan->nheads++] = (uint8_t)at;
		reason = end_chain(&there, at, end, plan);
		if (!reason)
			break;
		step = reason == HOOK_REASON_NOP_FIRST ? 0 : next_head(&there);
		if (!step || step > HOOK_HEAD_STEP)
			return reason;
		at += step;
	}
	if (reason || plan->nheads < 2)
		return HOOK_REASON_TOO_SHORT;
	find_range(p, first, &there);
	if (there.left < plan->covered)
		return HOOK_REASON_TOO_SHORT;
	return plan_finish(&there);
}

bool hook_chain_is_sound(const struct hook_plan *plan)
{
	if (plan->nheads < 2 || plan->nheads > HOOK_HEADS_MAX || plan->heads[0])
		return false;
	for (uint32_t i = 1; i < plan->nheads; i++)
		if (plan->heads[i] <= plan->heads[i - 1] ||
		    plan->heads[i] - plan->heads[i - 1] > HOOK_HEAD_STEP)
			return false;
	return hook_plan_patched(plan) <= plan->covered;
}

/* Instructions of the plan before `at`. */
static uint8_t count_before(const struct hook_plan *plan, size_t at)
{
	size_t pos = 0;
	struct insn in;
	uint8_t n = 0;

	while (pos < at && decode(plan->original + pos, plan->covered - pos,
				  taddr_add(plan->patch, (int64_t)pos), &in) == 0) {
		pos += in.len;
		n++;
	}
	return n;
}

bool hook_chain_tail(const struct hook_plan *plan, struct hook_plan *tail)
{
	uint8_t at = plan->heads[plan->nheads - 1], before = count_before(plan, at);

	*tail = (struct hook_plan){.tactic = HOOK_JMP,
				   .patch = taddr_add(plan->patch, at),
				   .covered = (uint8_t)(plan->covered - at),
				   .padding = plan->padding,
				   .ninsns = (uint8_t)(plan->ninsns - before)};
	bytes_copy(tail->original, plan->original + at, tail->covered);
	for (uint32_t i = 0; i < plan->nsites; i++)
		if (plan->sites[i].at >= at)
			tail->sites[tail->nsites++] = (struct hook_plan_site){
				(uint8_t)(plan->sites[i].at - at),
				plan->sites[i].on_taken};
	tail->site = hook_plan_address(tail, 0);
	return before < plan->ninsns && tail->nsites > 0;
}

/*
 * The last byte of a displacement says most about where a jump goes, so it must not be
 * another head's opcode or prefix.
 */
void chain_opcodes(const struct hook_plan *plan, uint8_t at[HOOK_HEADS_MAX])
{
	bool is_fixed[HOOK_PATCH_MAX + HOOK_JUMP] = {false};

	for (uint32_t i = plan->nheads; i-- > 0;) {
		size_t lo = plan->heads[i], n = 0;
		size_t room = i + 1U < plan->nheads ? plan->heads[i + 1] - lo : 1;

		while (n + 1 < room && is_fixed[lo + n + DISPLACEMENT])
			n++;
		if (is_fixed[lo + n + DISPLACEMENT])
			n = 0;
		at[i] = (uint8_t)(lo + n);
		for (size_t k = lo; k <= lo + n; k++)
			is_fixed[k] = true;
	}
}

taddr chain_landing(const struct hook_plan *plan, const uint8_t *bytes, size_t op)
{
	int32_t distance = (int32_t)bytes_load(bytes + op + 1, DISPLACEMENT);

	return taddr_add(plan->patch, (int64_t)op + HOOK_JUMP + distance);
}

taddr hook_chain_landing(const struct hook_plan *plan, const uint8_t *bytes,
			 uint32_t head)
{
	uint8_t ops[HOOK_HEADS_MAX];

	chain_opcodes(plan, ops);
	return chain_landing(plan, bytes, ops[head]);
}

void chain_write_opcodes(const struct hook_plan *plan, const uint8_t *ops,
			 uint8_t *bytes, bool *is_known)
{
	for (uint32_t i = 0; i < plan->nheads; i++)
		for (size_t k = plan->heads[i]; k <= ops[i]; k++) {
			bytes[k] = k == ops[i] ? OP_JMP : OP_CS;
			is_known[k] = true;
		}
}

bool chain_is_written(const struct hook_plan *plan, const uint8_t *bytes)
{
	uint8_t ops[HOOK_HEADS_MAX], want[HOOK_PATCH_MAX];
	bool is_known[HOOK_PATCH_MAX] = {false};

	if (!hook_chain_is_sound(plan))
		return false;
	chain_opcodes(plan, ops);
	chain_write_opcodes(plan, ops, want, is_known);
	for (size_t i = 0; i < hook_plan_patched(plan); i++)
		if (is_known[i] && bytes[i] != want[i])
			return false;
	return true;
}
