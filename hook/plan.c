/* SPDX-License-Identifier: MIT */
/*
 * Decides about one region. Its first five bytes (two for a short jump, which is to
 * be read for five below) become a jump, so:
 *
 *	- the instructions in it must be known, movable and whole;
 *	- nothing may arrive at bytes 1 to 4, nor at an instruction after them that
 *	  has to be met on the way through the stub; at byte 0 it may, and fires;
 *	- a call in it must be the last: the callee returns to the byte
 *	  after it, which must still be what it was;
 *	- where control cannot run on, padding may make up the five.
 *
 * The bytes from 5 up to the end of the last instruction are not written, so
 * whatever arrives there still finds them.
 */
#include "hook/plan.h"

#include "hook/held.h"
#include "hook/branches.h"
#include "vm/base/bytes.h"

#define REGISTER_SP 4

const char *hook_reason_text(enum hook_reason reason)
{
	static const char *const text[] = {
#define REASON(name, can_break, text) text,
#include "hook/reason.def"
#undef REASON
	};

	return text[reason];
}

bool hook_reason_can_break(enum hook_reason reason)
{
	static const bool can_break[] = {
#define REASON(name, can_break, text) can_break,
#include "hook/reason.def"
#undef REASON
	};

	return can_break[reason];
}

bool planning_begin(struct planning *p, taddr at)
{
	const struct hook_module *m = p->module;

	p->at = at;
	for (size_t i = 0; i < m->ncode; i++) {
		const uint8_t *code = hook_bytes_at(&m->code[i], at, &p->left);

		if (!code)
			continue;
		p->code = code;
		p->size = p->hi.v - at.v;
		return p->hi.v > at.v;
	}
	return false;
}

/* The zone that overlaps [lo, lo + n), NULL if none. */
static const struct hook_zone *zone_at(const struct planning *p, taddr lo, size_t n)
{
	const struct hook_module *m = p->module;

	for (size_t i = 0; i < m->nzones; i++) {
		const struct addr_range *r = &m->zones[i].range;

		if (r->lo.v < lo.v + n && lo.v < r->hi.v)
			return &m->zones[i];
	}
	return NULL;
}

/*
 * mov $15, %rax; syscall: unwinders know a frame made by a signal by these bytes
 * where no unwind entry says so (musl, Go).
 */
static bool is_sigreturn(const struct planning *p)
{
	static const uint8_t bytes[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};

	return p->left >= sizeof(bytes) &&
	       bytes_compare(p->code, bytes, sizeof(bytes)) == 0;
}

int planning_decode(const struct planning *p, size_t at, struct insn *in)
{
	if (at >= p->left)
		return -1;
	return decode(p->code + at, p->left - at, taddr_add(p->at, (int64_t)at), in);
}

/* Why nothing may be written on an instruction that the function begins with. */
static enum hook_reason refuse_kind(const struct insn *in)
{
	switch (in->kind) {
	case INSN_INT:
		return HOOK_REASON_TRAP;
	case INSN_HLT:
		return HOOK_REASON_TRAP_INSIDE;
	case INSN_FAR:
		return HOOK_REASON_FAR;
	case INSN_TRANSACTION:
		return HOOK_REASON_TRANSACTION;
	case INSN_SYSCALL:
		return insn_refusal(in) ? HOOK_REASON_SYSENTER : HOOK_REASON_NONE;
	default:
		return HOOK_REASON_NONE;
	}
}

static bool is_through_stack(const struct insn *in)
{
	return in->reg == REGISTER_SP || (in->has_mem && in->mem.base == REGISTER_SP);
}

/* Why an instruction cannot be moved; is_last: nothing need follow it. */
static enum hook_reason refuse_move(const struct planning *p, const struct insn *in,
				    bool is_last)
{
	switch (in->kind) {
	case INSN_SYSCALL:
		return HOOK_REASON_SYSCALL_INSIDE;
	case INSN_INT:
	case INSN_HLT:
		return HOOK_REASON_TRAP_INSIDE;
	case INSN_FAR:
		return HOOK_REASON_FAR_INSIDE;
	case INSN_TRANSACTION:
		return HOOK_REASON_TRANSACTION_INSIDE;
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
		if (!is_last)
			return HOOK_REASON_CALL_RETURNS_INSIDE;
		if (p->has_shadow_stack)
			return HOOK_REASON_CALL_SHADOWED;
		return is_through_stack(in) ? HOOK_REASON_CALL_BY_STACK
					    : HOOK_REASON_NONE;
	default:
		return HOOK_REASON_NONE;
	}
}

/* Whether something may arrive at the n bytes after pc. */
static enum hook_reason refuse_arrivals(const struct planning *p, taddr pc, size_t n)
{
	enum hook_reason reason = HOOK_REASON_NONE;

	for (size_t i = 1; i <= n; i++) {
		taddr at = taddr_add(pc, (int64_t)i);

		if (!hook_branches_has(p->branches, at))
			continue; /* no function begins there either */
		if (branches_is_start(p->branches, at))
			return HOOK_REASON_FUNCTION_INSIDE;
		if (branches_is_marked(p->branches, at.v))
			reason = HOOK_REASON_BRANCH_INSIDE;
		else if (!reason)
			reason = HOOK_REASON_UNSEARCHED;
	}
	return reason;
}

bool planning_is_dead(const struct planning *p, taddr lo, size_t n)
{
	bool is_known = !branches_is_computed(p->branches, p->at);

	for (size_t i = 0; i < n; i++) {
		taddr at = taddr_add(lo, (int64_t)i);
		bool is_own = is_known && at.v >= p->lo.v && at.v < p->hi.v;

		if (hook_branches_has(p->branches, at) ||
		    (branches_is_body(p->branches, at) && !is_own))
			return false;
	}
	return !held_is_taken(p->islands, lo, n, p->plan->patch) && !zone_at(p, lo, n);
}

bool plan_is_padding(const struct insn *in)
{
	return in->is_nop || (in->kind == INSN_INT && in->opcode == 0xcc);
}

/* Takes padding for the bytes from at on that the jump still needs. */
static enum hook_reason take_padding(struct planning *p, size_t at)
{
	size_t end = at;
	struct insn in;

	while (end < p->jump && planning_decode(p, end, &in) == 0 &&
	       plan_is_padding(&in))
		end += in.len;
	if (end < p->jump ||
	    !planning_is_dead(p, taddr_add(p->at, (int64_t)at), p->jump - at))
		return p->size == 1 ? HOOK_REASON_ONE_BYTE : HOOK_REASON_TOO_SHORT;
	p->plan->covered = (uint8_t)p->jump;
	p->plan->padding = (uint8_t)(p->jump - at);
	return HOOK_REASON_NONE;
}

/*
 * Counts the instructions that the jump takes over, at least those up to end;
 * *last is where the last one begins.
 */
static enum hook_reason take_insns(struct planning *p, size_t end, size_t *last)
{
	size_t least = end > p->jump ? end : p->jump, at = 0;
	enum hook_reason reason;
	struct insn in;

	p->plan->ninsns = 0;
	p->plan->padding = 0;
	while (at < least) {
		if (at >= p->size)
			return HOOK_REASON_FALLS_OUT;
		if (planning_decode(p, at, &in) != 0)
			return HOOK_REASON_UNKNOWN_INSIDE;
		if (in.len > p->size - at)
			return HOOK_REASON_FALLS_OUT;
		reason = refuse_move(p, &in, at + in.len >= least);
		if (reason)
			return reason;
		*last = at;
		at += in.len;
		p->plan->ninsns++;
		if (at < least && !insn_falls_through(&in))
			return at < end ? HOOK_REASON_TOO_SHORT : take_padding(p, at);
	}
	if (at > HOOK_COVERED_MAX)
		return HOOK_REASON_TOO_SHORT;
	p->plan->covered = (uint8_t)at;
	return HOOK_REASON_NONE;
}

/*
 * A lone nop before the first real instruction is there for its address plus one:
 * Go makes every goroutine return to runtime.goexit + 1, an address that no
 * instruction holds. (Several nops are room for a patch.)
 */
static bool begins_with_lone_nop(const struct planning *p)
{
	struct insn in;

	return p->at.v == p->lo.v && planning_decode(p, 0, &in) == 0 && in.is_nop &&
	       in.len == 1 && p->size > 1 && planning_decode(p, 1, &in) == 0 &&
	       !in.is_nop;
}

enum hook_reason plan_region(struct planning *p, taddr end)
{
	size_t last = 0;
	enum hook_reason reason, inside;

	p->plan->tactic = p->jump >= HOOK_JUMP ? HOOK_JMP : HOOK_JMP_SHORT;
	p->plan->patch = p->at;
	reason = take_insns(p, (size_t)(end.v - p->at.v), &last);
	inside = refuse_arrivals(p, p->at, max_u64(last, p->jump - 1));
	/* that another function begins here says more than that this one ends */
	if (reason == HOOK_REASON_FALLS_OUT && inside)
		reason = inside;
	if (!reason)
		reason = inside;
	if (!reason && begins_with_lone_nop(p))
		reason = HOOK_REASON_NOP_FIRST;
	return reason;
}

static bool is_plain_call(const struct insn *in)
{
	return in->kind == INSN_CALL && in->len == HOOK_JUMP;
}

/*
 * The call at p->at, if nothing but endbr64 is before it: that
 * does nothing, so firing after it is the same, unless something arrives
 * between the two.
 */
static bool find_call(const struct planning *p, const struct insn *first, taddr *call)
{
	struct insn in = *first;

	if (in.is_endbr && in.len < p->size && planning_decode(p, in.len, &in) == 0 &&
	    hook_branches_has(p->branches, in.addr))
		return false;
	*call = in.addr;
	return is_plain_call(&in) && in.addr.v + in.len <= p->hi.v;
}

bool plan_call(struct planning *p, const struct insn *first, enum hook_reason *reason)
{
	taddr call;

	if (!find_call(p, first, &call))
		return false;
	p->plan->tactic = HOOK_CALL;
	p->plan->patch = call;
	p->plan->covered = HOOK_JUMP;
	*reason = refuse_arrivals(p, call, HOOK_JUMP - 1);
	if (*reason == HOOK_REASON_UNSEARCHED) /* it stays one instruction */
		*reason = HOOK_REASON_NONE;
	return true;
}

enum hook_reason plan_first(const struct planning *p, struct insn *first)
{
	const struct hook_zone *zone = zone_at(p, p->at, 1);

	if (zone)
		return zone->reason;
	if (is_sigreturn(p))
		return HOOK_REASON_SIGNAL_FRAME;
	if (planning_decode(p, 0, first) != 0)
		return HOOK_REASON_UNKNOWN;
	return refuse_kind(first);
}

enum hook_reason plan_finish(struct planning *p)
{
	struct hook_plan *plan = p->plan;

	if (zone_at(p, plan->patch, plan->covered))
		return HOOK_REASON_ZONE_INSIDE;
	bytes_copy(plan->original, p->code + (plan->patch.v - p->at.v), plan->covered);
	return HOOK_REASON_NONE;
}

void plan_refuse(struct hook_plan *plan, taddr site, enum hook_reason reason)
{
	*plan = (struct hook_plan){.site = site,
				   .patch = site,
				   .nsites = 1,
				   .tactic = hook_reason_can_break(reason)
						     ? HOOK_BREAKPOINT
						     : HOOK_REFUSED,
				   .reason = reason};
}

static int64_t pun_distance(const struct hook_plan *plan)
{
	return (int32_t)bytes_load(plan->original + 1, 4);
}

taddr hook_pun_target(const struct hook_plan *plan)
{
	return taddr_add(plan->patch, HOOK_JUMP + pun_distance(plan));
}

bool hook_pun_is_near(const struct hook_plan *plan)
{
	return pun_distance(plan) >= -HOOK_PUN_DOWN;
}

bool hook_plan_is_head(const struct hook_plan *plan, taddr pc)
{
	for (uint32_t i = 0; i < plan->nheads; i++)
		if (pc.v == plan->patch.v + plan->heads[i])
			return true;
	return false;
}

int hook_plan_find(const struct hook_plan *plan, taddr pc, bool on_taken)
{
	for (uint32_t i = 0; i < plan->nsites; i++)
		if (hook_plan_address(plan, i).v == pc.v &&
		    plan->sites[i].on_taken == on_taken)
			return (int)i;
	return -1;
}
