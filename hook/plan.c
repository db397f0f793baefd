/* SPDX-License-Identifier: MIT */
/*
 * Decides for one function entry. The first five bytes become a jump, so:
 *
 *	- the instructions they are part of must be known, movable and whole;
 *	- nothing may arrive at bytes 1 to 4; at byte 0 it may, and fires;
 *	- a call among them must be the last: the callee returns to the byte
 *	  behind it, which must still be what it was;
 *	- where control cannot run on, padding may make up the five.
 *
 * The bytes from 5 up to the end of the last instruction are not written, so
 * whatever arrives there still finds them.
 */
#include "hook/hook.h"

#include "disasm/disasm.h"
#include "hook/branches.h"
#include "hook/target.h"
#include "vm/base/bytes.h"

#define REGISTER_SP 4

struct planning {
	const struct hook_module *module;
	const struct hook_branches *branches;
	const struct hook_entry *entry;
	struct hook_plan *plan;
	const uint8_t *code; /* the file's bytes from the entry on ... */
	size_t left;	     /* ... to the end of the segment */
	uint64_t size;	     /* of the function */
};

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

static bool find_code(struct planning *p)
{
	const struct hook_module *m = p->module;
	uint64_t lo = p->entry->lo.v;

	for (size_t i = 0; i < m->ncode; i++) {
		const struct hook_bytes *part = &m->code[i];

		if (lo < part->lo.v || lo - part->lo.v >= part->n)
			continue;
		p->code = part->data + (lo - part->lo.v);
		p->left = part->n - (size_t)(lo - part->lo.v);
		return p->entry->hi.v > lo;
	}
	return false;
}

/* The zone that overlaps [lo, lo + n), NULL if none. */
static const struct hook_zone *zone_at(const struct planning *p, taddr lo, size_t n)
{
	const struct hook_module *m = p->module;

	for (size_t i = 0; i < m->nzones; i++) {
		const struct hook_range *r = &m->zones[i].range;

		if (r->lo.v < lo.v + n && lo.v < r->hi.v)
			return &m->zones[i];
	}
	return NULL;
}

static bool is_changed(const struct planning *p, size_t n)
{
	n = (size_t)min_u64(n, min_u64(p->entry->n, p->left));
	return n && bytes_compare(p->entry->memory, p->code, n) != 0;
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

static int decode_at(const struct planning *p, size_t at, struct insn *in)
{
	if (at >= p->left)
		return -1;
	return decode(p->code + at, p->left - at, taddr_add(p->entry->lo, (int64_t)at),
		      in);
}

/* Why nothing may be written on an instruction that the function begins with. */
static enum hook_reason refuse_first(const struct insn *in)
{
	switch (in->kind) {
	case INSN_INT:
	case INSN_HLT:
		return HOOK_REASON_TRAP;
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

/* Why an instruction whose last byte is before end cannot be moved. */
static enum hook_reason refuse_move(const struct planning *p, const struct insn *in,
				    size_t end)
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
		if (end < HOOK_JUMP)
			return HOOK_REASON_CALL_RETURNS_INSIDE;
		if (p->entry->has_shadow_stack)
			return HOOK_REASON_CALL_SHADOWED;
		return is_through_stack(in) ? HOOK_REASON_CALL_BY_STACK
					    : HOOK_REASON_NONE;
	default:
		return HOOK_REASON_NONE;
	}
}

/* Whether something may arrive at bytes 1 to 4 behind pc. */
static enum hook_reason refuse_arrivals(const struct planning *p, taddr pc)
{
	enum hook_reason reason = HOOK_REASON_NONE;

	for (int i = 1; i < HOOK_JUMP; i++) {
		taddr at = taddr_add(pc, i);

		if (branches_is_start(p->branches, at))
			return HOOK_REASON_FUNCTION_INSIDE;
		if (hook_branches_has(p->branches, at))
			reason = HOOK_REASON_BRANCH_INSIDE;
	}
	return reason;
}

/* Whether nothing runs, refers to or unwinds through the bytes [lo, lo + n). */
static bool is_dead(const struct planning *p, taddr lo, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		taddr at = taddr_add(lo, (int64_t)i);

		if (hook_branches_has(p->branches, at) ||
		    branches_is_body(p->branches, at))
			return false;
	}
	return zone_at(p, lo, n) == NULL;
}

/* Takes padding for the bytes from at on that the jump still needs. */
static enum hook_reason take_padding(struct planning *p, size_t at)
{
	size_t end = at;
	struct insn in;

	while (end < HOOK_JUMP) {
		if (decode_at(p, end, &in) != 0)
			break;
		if (!in.is_nop && !(in.kind == INSN_INT && in.opcode == 0xcc))
			break;
		end += in.len;
	}
	if (end < HOOK_JUMP ||
	    !is_dead(p, taddr_add(p->entry->lo, (int64_t)at), HOOK_JUMP - at))
		return p->size == 1 ? HOOK_REASON_ONE_BYTE : HOOK_REASON_TOO_SHORT;
	p->plan->covered = HOOK_JUMP;
	p->plan->padding = (uint8_t)(HOOK_JUMP - at);
	return HOOK_REASON_NONE;
}

/* Counts the instructions that the jump takes over. */
static enum hook_reason take_insns(struct planning *p)
{
	enum hook_reason reason;
	struct insn in;
	size_t at = 0;

	while (at < HOOK_JUMP) {
		if (at >= p->size)
			return HOOK_REASON_FALLS_OUT;
		if (decode_at(p, at, &in) != 0)
			return HOOK_REASON_UNKNOWN_INSIDE;
		if (in.len > p->size - at)
			return HOOK_REASON_FALLS_OUT;
		reason = refuse_move(p, &in, at + in.len);
		if (reason)
			return reason;
		at += in.len;
		p->plan->ninsns++;
		if (at < HOOK_JUMP && !insn_falls_through(&in))
			return take_padding(p, at);
	}
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

	return decode_at(p, 0, &in) == 0 && in.is_nop && in.len == 1 && p->size > 1 &&
	       decode_at(p, 1, &in) == 0 && !in.is_nop;
}

static enum hook_reason plan_jmp(struct planning *p)
{
	enum hook_reason inside = refuse_arrivals(p, p->entry->lo);
	enum hook_reason reason = take_insns(p);

	/* that another function begins here says more than that this one ends */
	if (reason == HOOK_REASON_FALLS_OUT && inside)
		reason = inside;
	if (!reason)
		reason = inside;
	if (!reason && begins_with_lone_nop(p))
		reason = HOOK_REASON_NOP_FIRST;
	p->plan->tactic = HOOK_JMP;
	return reason;
}

static bool is_plain_call(const struct insn *in)
{
	return in->kind == INSN_CALL && in->len == HOOK_JUMP;
}

/*
 * The call the function begins with, if only endbr64 may stand before it: that
 * does nothing, so firing behind it is the same, unless something arrives
 * between the two.
 */
static bool find_call(const struct planning *p, const struct insn *first, taddr *call)
{
	struct insn in = *first;

	if (in.is_endbr && in.len < p->size && decode_at(p, in.len, &in) == 0 &&
	    hook_branches_has(p->branches, in.addr))
		return false;
	*call = in.addr;
	return is_plain_call(&in) && in.addr.v + in.len <= p->entry->hi.v;
}

static enum hook_reason plan_call(struct planning *p, taddr call)
{
	p->plan->tactic = HOOK_CALL;
	p->plan->patch = call;
	p->plan->covered = HOOK_JUMP;
	return refuse_arrivals(p, call);
}

static enum hook_reason plan(struct planning *p)
{
	const struct hook_zone *zone;
	struct hook_plan *plan = p->plan;
	enum hook_reason reason;
	struct insn first;
	taddr call;
	size_t skip;

	if (!find_code(p))
		return HOOK_REASON_NOT_CODE;
	p->size = p->entry->hi.v - p->entry->lo.v;
	zone = zone_at(p, p->entry->lo, 1);
	if (zone)
		return zone->reason;
	if (is_sigreturn(p))
		return HOOK_REASON_SIGNAL_FRAME;
	if (decode_at(p, 0, &first) != 0)
		return HOOK_REASON_UNKNOWN;
	reason = is_changed(p, first.len) ? HOOK_REASON_CHANGED : refuse_first(&first);
	if (reason)
		return reason;
	reason = find_call(p, &first, &call) ? plan_call(p, call) : plan_jmp(p);
	if (reason)
		return reason;
	skip = (size_t)(plan->patch.v - plan->site.v);
	if (is_changed(p, skip + plan->covered))
		return HOOK_REASON_CHANGED;
	if (zone_at(p, plan->patch, plan->covered))
		return HOOK_REASON_ZONE_INSIDE;
	bytes_copy(plan->original, p->code + skip, plan->covered);
	return HOOK_REASON_NONE;
}

void hook_plan_entry(const struct hook_module *m, const struct hook_branches *b,
		     const struct hook_entry *entry, struct hook_plan *out)
{
	struct planning p = {.module = m, .branches = b, .entry = entry, .plan = out};
	enum hook_reason reason;

	*out = (struct hook_plan){.site = entry->lo, .patch = entry->lo};
	reason = plan(&p);
	out->reason = reason;
	if (!reason)
		return;
	*out = (struct hook_plan){.site = entry->lo,
				  .patch = entry->lo,
				  .tactic = hook_reason_can_break(reason)
						    ? HOOK_BREAKPOINT
						    : HOOK_REFUSED,
				  .reason = reason};
}
