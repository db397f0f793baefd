/* SPDX-License-Identifier: MIT */
/*
 * Reads code for the addresses that control may reach.
 *
 * The code is read in order, and again from each known beginning of a function: so data
 * between functions cannot spoil what follows it. Functions and unwind entries
 * that overlap are one body:
 *
 *	code    |  gap  |==== body ====|  gap  |== body ==|== body ==| gap |
 *	starts          ^    ^                 ^          ^
 *
 * A switch jumps through a table. In code linked for one address the table
 * holds addresses; relocations name them elsewhere. Tables of distances are read
 * by switch_tables.c.
 *
 * Other jumps may lead anywhere in a body: by a sum with a label, by a table of shorter
 * distances, or by a table that is made elsewhere. They are known by how their address
 * is made (jump_origin.c), or, unless all are by tables of distances, by code after a
 * jump or a return that nothing else leads to. Then every instruction of the body counts.
 *
 * Code may read the constants of other instructions (V8 has a number of 8 bytes only
 * once, as an operand, and loads it from there). Bytes that a rip-relative operand names
 * count as places where control arrives, so that no jump is written over them.
 */
#include "hook/sweep.h"

#include "disasm/disasm.h"
#include "hook/jump_origin.h"
#include "hook/rip_operand.h"
#include "vm/base/bytes.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

bool sweep_is_insn(const struct sweep *s, uint64_t pc, struct body body)
{
	uint64_t offset = pc - s->insns_lo;

	if (pc < body.lo || pc >= body.hi)
		return false;
	return s->insns[offset / 8] >> offset % 8 & 1;
}

static void note_boundary(struct sweep *s, uint64_t at)
{
	const uint64_t offset = at - s->insns_lo;

	s->insns[offset / 8] |= (uint8_t)(1 << offset % 8);
}

static void note_loaded(struct sweep *s, uint64_t address, struct body body)
{
	sweep_mark(s->branches, address);
	*vec_push(&s->loaded) = address;
	if (address >= body.lo && address < body.hi)
		*vec_push(&s->labels) = address;
}

/* Instructions between looks whether reading is to end. */
#define LOOK_INSNS 4096
/* What all bodies of a module may take for their tables beyond their sizes. */
#define SHARED_STEPS (UINT64_C(16) << 20)

/* A load from a table of 4-byte distances is that near before the jump by it. */
#define TABLE_LOAD_NEAR 16

/*
 * movslq (table,index,4) may load a distance. A load of 8 bytes that is nearer to the
 * jump was of an address: those are known by relocations, or as words.
 */
static void note_table_load(struct sweep *s, const struct insn_brief *in)
{
	s->since_load++;
	if (in->scale == 4 || in->scale == 2)
		s->since_load = 0;
	else if (in->scale == 8)
		s->since_load = TABLE_LOAD_NEAR + 1;
}

/* What a rip-relative operand names, if it is code. */
static void note_read(struct sweep *s, const struct insn_brief *in, uint64_t at,
		      const uint8_t *bytes)
{
	struct addr_range read;

	if (!rip_operand(in, taddr_of(at), bytes, &read) ||
	    !sweep_area_of(s->branches, read.lo.v))
		return;
	for (uint64_t pc = read.lo.v; pc < read.hi.v; pc++)
		sweep_mark(s->branches, pc);
}

/*
 * The last four bytes may be an immediate, or the last eight (movabs); those of a
 * rip-relative operand are not.
 */
static void note_operands(struct sweep *s, const struct insn_brief *in,
			  const uint8_t *end, struct body body)
{
	if (in->is_lea)
		note_loaded(s, in->target.v, body);
	else if (s->module->is_fixed && in->len >= 5 && !in->ends_in_disp)
		sweep_mark(s->branches, bytes_load(end - 4, 4));
	if (s->module->is_fixed && in->len >= 10 && (in->opcode & 0xf8) == 0xb8)
		sweep_mark(s->branches, bytes_load(end - 8, 8));
}

/* An indirect jump: whether it is known where it goes. */
static void note_jump(struct sweep *s, uint64_t at, const uint8_t *bytes,
		      struct body body)
{
	struct jump_code code = {.bytes = bytes - (at - body.lo),
				 .lo = body.lo,
				 .at = at,
				 .insns = s->insns,
				 .area = s->insns_lo};
	uint64_t base = 0;
	size_t left = 0;

	hook_bytes_at(s->code, taddr_of(at), &left);
	code.n = (size_t)(at - body.lo) + left;
	s->has_computed_jump = true;
	switch (jump_origin(&code, &base)) {
	case JUMP_WHOLE:
		s->has_other_jump = true;
		break;
	case JUMP_UNKNOWN:
		s->has_other_jump = true;
		s->has_table_jump |= s->since_load <= TABLE_LOAD_NEAR;
		break;
	case JUMP_LABEL:
		if (sweep_area_of(s->branches, base)) {
			*vec_push(&s->bases) = base;
			s->has_unread_jump = true;
		}
		ATTR_FALLTHROUGH;
	case JUMP_DISTANCES:
		s->has_table_jump = true;
		break;
	case JUMP_COMPUTED:
		s->has_unread_jump = true;
		break;
	}
}

void sweep_note(struct sweep *s, const struct insn_brief *in, uint64_t at,
		const uint8_t *bytes, struct body body)
{
	uint64_t after = at + in->len;

	note_table_load(s, in);
	if (in->is_rip_relative && !in->is_lea)
		note_read(s, in, at, bytes);
	switch (in->kind) {
	case INSN_CALL:
		sweep_mark(s->branches, after);
		ATTR_FALLTHROUGH;
	case INSN_JMP:
	case INSN_JCC:
	case INSN_LOOP:
		sweep_mark(s->branches, in->target.v);
		break;
	case INSN_TRANSACTION:
		if (in->opcode == 0xc7) /* xbegin: where it goes on abort */
			sweep_mark(s->branches, in->target.v);
		break;
	case INSN_CALL_INDIRECT:
		sweep_mark(s->branches, after);
		break;
	case INSN_FAR:
		if (in->is_far_call)
			sweep_mark(s->branches, after);
		break;
	case INSN_JMP_INDIRECT:
		/* through a fixed place it leaves the function: it is a tail call */
		if (!in->is_rip_relative)
			note_jump(s, at, bytes, body);
		break;
	default:
		note_operands(s, in, bytes + in->len, body);
		break;
	}
}

static bool is_padding(const struct insn_brief *in)
{
	return in->opcode == 0x90 || in->opcode == 0x1f || in->kind == INSN_HLT ||
	       (in->kind == INSN_INT && in->opcode == 0xcc);
}

/* Whether it runs on; after what does not, something must lead to it. */
static void note_run(struct sweep *s, const struct insn_brief *in, uint64_t at,
		     bool is_cut)
{
	if (!s->runs_on && is_padding(in) && !is_cut)
		return; /* as if it were not there */
	if (!s->runs_on)
		*vec_push(&s->orphans) =
			(struct addr_range){taddr_of(s->end), taddr_of(at + 1)};
	s->end = at + in->len;
	s->runs_on = insn_brief_falls_through(in) || is_cut;
}

/* Whether control is known to arrive in the range. */
static bool is_reached(const struct hook_branches *b, struct addr_range range)
{
	for (uint64_t pc = range.lo.v; pc < range.hi.v; pc++)
		if (sweep_is_marked(b, pc))
			return true;
	return false;
}

/*
 * Those of the body that was read, if nothing leads to them so far. Where all jumps are
 * by tables of distances, which are read, they are code that is never run.
 */
static void keep_orphans(struct sweep *s, size_t first)
{
	size_t n = first;

	for (size_t i = first; s->has_other_jump && i < s->orphans.len; i++)
		if (!is_reached(s->branches, s->orphans.data[i]))
			s->orphans.data[n++] = s->orphans.data[i];
	s->orphans.len = n;
}

/* The code of the body. NULL: it has none, or it cannot be read. */
static const uint8_t *code_of(const struct sweep *s, struct body body, size_t *left)
{
	const struct hook_module *m = s->module;
	const uint8_t *p;

	if (body.lo >= body.hi)
		return NULL;
	if (m->hold_code)
		m->hold_code(m->hold_ctx, taddr_of(body.lo), taddr_of(body.hi));
	p = hook_bytes_at(s->code, taddr_of(body.lo), left);
	return p && *left >= body.hi - body.lo ? p : NULL;
}

/* Where reading begins again behind `at`, in the body. */
static uint64_t next_start(struct sweep *s, uint64_t at, struct body body)
{
	const struct addresses *starts = &s->branches->starts;

	while (s->next_start < starts->len && starts->data[s->next_start] <= at)
		s->next_start++;
	return s->next_start < starts->len
		       ? min_u64(body.hi, starts->data[s->next_start])
		       : body.hi;
}

/* Code linked for one address, and relocations, name their targets. */
static void read_insns(struct sweep *s, const uint8_t *code, size_t left,
		       struct body body)
{
	uint64_t at = body.lo;
	struct insn_brief in;

	for (size_t n = 1; at < body.hi; n++) {
		const size_t offset = (size_t)(at - body.lo);
		const uint64_t next = next_start(s, at, body);

		if (n % LOOK_INSNS == 0 && sweep_is_stopped(s))
			return;
		if (decode_brief(code + offset, left - offset, taddr_of(at), &in) !=
		    0) {
			s->runs_on = true;
			s->is_even = false;
			at++;
			continue;
		}
		note_boundary(s, at);
		sweep_note(s, &in, at, code + offset, body);
		note_run(s, &in, at, at + in.len > next);
		s->is_even &= at + in.len <= next;
		at = min_u64(at + in.len, next);
	}
}

bool sweep_body(struct sweep *s, struct body body)
{
	size_t left = 0;
	const uint8_t *code = code_of(s, body, &left);
	const size_t norphans = s->orphans.len;

	s->loaded.len = s->labels.len = 0;
	s->has_computed_jump = s->has_table = s->is_unknown = false;
	s->has_table_jump = s->has_other_jump = s->has_unread_jump = false;
	s->since_load = TABLE_LOAD_NEAR;
	s->runs_on = s->is_even = true;
	if (code)
		read_insns(s, code, left, body);
	sweep_tables(s, body);
	if (s->is_unknown)
		sweep_mark_all(s->branches, body.lo, body.hi);
	keep_orphans(s, norphans);
	return s->is_unknown || s->has_unread_jump ||
	       (s->has_table_jump && !s->has_table);
}

bool sweep_is_stopped(const struct sweep *s)
{
	const atomic_bool *flag = s->module->is_stopped;

	return flag && atomic_load_explicit(flag, memory_order_relaxed);
}

void sweep_listed(struct sweep *s, struct body *whole)
{
	const struct hook_bytes *code = s->code;
	const struct body body = {
		.lo = max_u64(whole->lo, code->lo.v),
		.hi = min_u64(whole->hi, code->lo.v + code->n),
	};

	if (sweep_body(s, body))
		whole->is_computed = true;
	whole->runs_out = s->runs_on;
	whole->is_even = s->is_even && whole->lo == body.lo && whole->hi == body.hi;
}

/* All instructions of [lo, hi), which are read. */
static void mark_insns(struct hook_branches *b, uint64_t lo, uint64_t hi)
{
	const struct area *a = sweep_area_of(b, lo);

	for (uint64_t pc = lo; a && pc < min_u64(hi, a->hi); pc++)
		if (a->insns[(pc - a->lo) / 8] >> (pc - a->lo) % 8 & 1)
			sweep_mark(b, pc);
}

void sweep_gap(struct sweep *s, uint64_t lo, uint64_t hi)
{
	if (lo < hi && sweep_body(s, (struct body){.lo = lo, .hi = hi, .is_gap = true}))
		mark_insns(s->branches, lo, hi);
}

static void sweep_whole_area(struct sweep *s)
{
	struct hook_branches *b = s->branches;
	uint64_t at = s->code->lo.v, end = at + s->code->n;
	size_t i = 0;

	while (i < b->bodies.len && b->bodies.data[i].hi <= at)
		i++;
	for (; i < b->bodies.len && b->bodies.data[i].lo < end; i++) {
		struct body *body = &b->bodies.data[i];

		if (sweep_is_stopped(s))
			return;
		sweep_gap(s, at, body->lo);
		sweep_listed(s, body);
		at = min_u64(body->hi, end);
	}
	sweep_gap(s, at, end);
}

/* The body that holds pc has a jump that may lead anywhere in it. */
static void set_computed(struct hook_branches *b, uint64_t pc)
{
	size_t i = sweep_first_behind(b, pc);

	if (i < b->bodies.len && b->bodies.data[i].lo <= pc)
		b->bodies.data[i].is_computed = true;
}

void sweep_computed(struct sweep *s)
{
	struct hook_branches *b = s->branches;

	for (size_t i = 0; i < s->orphans.len; i++)
		if (!is_reached(b, s->orphans.data[i]))
			set_computed(b, s->orphans.data[i].lo.v);
	for (size_t i = 0; i < s->bases.len; i++)
		set_computed(b, s->bases.data[i]);
	for (size_t i = 0; i < b->bodies.len; i++)
		if (b->bodies.data[i].is_computed)
			mark_insns(b, b->bodies.data[i].lo, b->bodies.data[i].hi);
}

void sweep_words_in(struct hook_branches *b, uint64_t at, const uint8_t *p, size_t n)
{
	uint64_t lo = b->nareas ? b->areas[0].lo : 0;
	uint64_t size = b->nareas ? b->areas[b->nareas - 1].hi - lo : 0, word;
	const size_t skip = (size_t)min_u64(align_up(at, 8) - at, n);

	for (p += skip, n -= skip; n >= 8; p += 8, n -= 8) {
		memcpy(&word, p, sizeof(word));
		if (word - lo < size)
			sweep_mark(b, word);
	}
}

static void mark_code_words(struct sweep *s, const struct hook_bytes *part)
{
	const struct hook_module *m = s->module;
	const uint64_t end = part->lo.v + part->n;
	size_t left;

	for (uint64_t at = align_up(part->lo.v, 8); at < end && !sweep_is_stopped(s);
	     at += HOOK_HELD) {
		const uint8_t *p;

		if (m->hold_code)
			m->hold_code(m->hold_ctx, taddr_of(at),
				     taddr_of(at + HOOK_HELD));
		p = hook_bytes_at(part, taddr_of(at), &left);
		if (p)
			sweep_words_in(s->branches, at, p, min_u64(left, HOOK_HELD));
	}
}

void sweep_data_words(struct sweep *s)
{
	const struct hook_module *m = s->module;
	size_t left;

	for (size_t i = 0; i < m->ndata; i++) {
		uint64_t at = align_up(m->data[i].lo.v, 8);
		const uint64_t end = m->data[i].lo.v + m->data[i].n;

		for (; at < end && !sweep_is_stopped(s); at += HOOK_HELD) {
			const uint8_t *p = sweep_data_at(m, at, &left);

			if (p)
				sweep_words_in(s->branches, at, p,
					       min_u64(left, HOOK_HELD));
		}
	}
}

void sweep_begin(struct sweep *s, struct hook_branches *b, const struct hook_module *m)
{
	*s = (struct sweep){.module = m, .branches = b, .tables.spare = SHARED_STEPS};
	for (size_t i = 0; i < m->ncode; i++)
		s->tables.spare += m->code[i].n;
}

void sweep_area_begin(struct sweep *s, size_t area)
{
	s->code = &s->module->code[area];
	s->insns = s->branches->areas[area].insns;
	s->insns_lo = s->code->lo.v;
	s->next_start = 0;
}

void sweep_release(struct sweep *s)
{
	free(s->copy.bytes);
	free(s->tables.judged);
	vec_release(&s->bases);
	vec_release(&s->orphans);
	vec_release(&s->loaded);
	vec_release(&s->labels);
}

void hook_branches_read(struct hook_branches *b, const struct hook_module *m)
{
	struct sweep s;

	sweep_begin(&s, b, m);
	for (size_t i = 0; m->is_fixed && i < m->ncode; i++)
		mark_code_words(&s, &m->code[i]);
	if (m->is_fixed)
		sweep_data_words(&s);
	for (size_t i = 0; i < m->ncode; i++) {
		sweep_area_begin(&s, i);
		sweep_whole_area(&s);
	}
	if (!sweep_is_stopped(&s)) {
		sweep_computed(&s);
		b->is_whole = true;
	}
	sweep_release(&s);
}
