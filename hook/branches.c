/* SPDX-License-Identifier: MIT */
/*
 * Where control may arrive in a module other than by running on: one bit a
 * byte of code. A bit too many costs one jump, a bit too few corrupts the
 * program, so whatever may be a code address counts as one.
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
#include "hook/branches.h"

#include "disasm/disasm.h"
#include "hook/jump_origin.h"
#include "hook/rip_operand.h"
#include "hook/sweep.h"
#include "vm/base/bytes.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/sort.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

struct area *sweep_area_of(const struct hook_branches *b, uint64_t pc)
{
	for (size_t i = 0; i < b->nareas; i++) {
		if (pc >= b->areas[i].lo && pc < b->areas[i].hi)
			return &b->areas[i];
	}
	return NULL;
}

void sweep_mark(struct hook_branches *b, uint64_t pc)
{
	struct area *a = sweep_area_of(b, pc);

	if (a)
		a->bits[(pc - a->lo) / 8] |= (uint8_t)(1 << (pc - a->lo) % 8);
}

bool hook_branches_has(const struct hook_branches *b, taddr pc)
{
	const struct area *a = sweep_area_of(b, pc.v);

	return a && (a->bits[(pc.v - a->lo) / 8] >> (pc.v - a->lo) % 8 & 1);
}

bool branches_is_start(const struct hook_branches *b, taddr pc)
{
	size_t lo = 0, hi = b->starts.len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (b->starts.data[mid] < pc.v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < b->starts.len && b->starts.data[lo] == pc.v;
}

/* The number of the first body that ends after pc. */
static size_t first_behind(const struct hook_branches *b, uint64_t pc)
{
	size_t lo = 0, hi = b->bodies.len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (b->bodies.data[mid].hi <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const struct body *body_of(const struct hook_branches *b, taddr pc)
{
	size_t i = first_behind(b, pc.v);

	if (i < b->bodies.len && b->bodies.data[i].lo <= pc.v)
		return &b->bodies.data[i];
	return NULL;
}

bool branches_gap(const struct hook_branches *b, taddr at, struct addr_range *gap)
{
	size_t i = first_behind(b, at.v);

	for (i = i ? i - 1 : 0; i < b->bodies.len; i++) {
		const struct body *body = &b->bodies.data[i];
		const struct area *area = sweep_area_of(b, body->lo);
		uint64_t end = area->hi;

		if (i + 1 < b->bodies.len)
			end = min_u64(end, body[1].lo);
		if (body->runs_out || end <= body->hi || end <= at.v)
			continue;
		*gap = (struct addr_range){taddr_of(body->hi), taddr_of(end)};
		return true;
	}
	return false;
}

bool branches_is_body(const struct hook_branches *b, taddr pc)
{
	return body_of(b, pc) != NULL;
}

bool branches_body(const struct hook_branches *b, taddr pc, struct addr_range *out)
{
	const struct body *body = body_of(b, pc);

	if (body)
		*out = (struct addr_range){taddr_of(body->lo), taddr_of(body->hi)};
	return body != NULL;
}

bool branches_is_computed(const struct hook_branches *b, taddr pc)
{
	const struct body *body = body_of(b, pc);

	return !body || body->is_computed;
}

/* Whether an instruction begins at pc, which is in the area. */
static bool is_boundary(const struct area *a, uint64_t pc)
{
	return a->insns[(pc - a->lo) / 8] >> (pc - a->lo) % 8 & 1;
}

bool branches_are_read(const struct hook_branches *b, struct addr_range part)
{
	const struct body *body = body_of(b, part.lo);

	return body && body->is_even && part.hi.v <= body->hi &&
	       is_boundary(sweep_area_of(b, part.lo.v), part.lo.v);
}

bool branches_is_insn(const struct hook_branches *b, taddr pc)
{
	const struct area *a = sweep_area_of(b, pc.v);

	return a && is_boundary(a, pc.v);
}

bool branches_insn_before(const struct hook_branches *b, taddr lo, taddr *pc)
{
	const struct area *a = sweep_area_of(b, lo.v);

	for (uint64_t at = pc->v; a && at > lo.v && at <= a->hi; at--) {
		if (!is_boundary(a, at - 1))
			continue;
		pc->v = at - 1;
		return true;
	}
	return false;
}

bool sweep_is_insn(const struct sweep *s, uint64_t pc, struct body body)
{
	uint64_t offset = pc - s->code->lo.v;

	if (pc < body.lo || pc >= body.hi)
		return false;
	return s->insns[offset / 8] >> offset % 8 & 1;
}

static void note_boundary(struct sweep *s, size_t offset)
{
	s->insns[offset / 8] |= (uint8_t)(1 << offset % 8);
}

static void note_loaded(struct sweep *s, uint64_t address, struct body body)
{
	sweep_mark(s->branches, address);
	*vec_push(&s->loaded) = address;
	if (address >= body.lo && address < body.hi)
		*vec_push(&s->labels) = address;
}

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
				 .area = s->code->lo.v};
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

/* The instruction at an address, and its bytes. */
static void note_insn(struct sweep *s, const struct insn_brief *in, uint64_t at,
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
		if (hook_branches_has(b, taddr_of(pc)))
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

/*
 * Reads [lo, hi), and again from each start inside. Code linked for one address, and
 * relocations, name their targets; distances are found in tables or not at all.
 */
static bool sweep_body(struct sweep *s, struct body body)
{
	const struct addresses *starts = &s->branches->starts;
	uint64_t at = body.lo;
	struct insn_brief in;
	size_t left = 0;
	const uint8_t *code = code_of(s, body, &left);
	const size_t norphans = s->orphans.len;

	s->loaded.len = s->labels.len = 0;
	s->has_computed_jump = s->has_table = false;
	s->has_table_jump = s->has_other_jump = s->has_unread_jump = false;
	s->since_load = TABLE_LOAD_NEAR;
	s->runs_on = s->is_even = true;
	while (code && at < body.hi) {
		size_t offset = (size_t)(at - body.lo);
		uint64_t next = body.hi;

		while (s->next_start < starts->len && starts->data[s->next_start] <= at)
			s->next_start++;
		if (s->next_start < starts->len)
			next = min_u64(next, starts->data[s->next_start]);
		if (decode_brief(code + offset, left - offset, taddr_of(at), &in) !=
		    0) {
			s->runs_on = true;
			s->is_even = false;
			at++;
			continue;
		}
		note_boundary(s, (size_t)(at - s->code->lo.v));
		note_insn(s, &in, at, code + offset, body);
		note_run(s, &in, at, at + in.len > next);
		s->is_even &= at + in.len <= next;
		at = min_u64(at + in.len, next);
	}
	sweep_tables(s, body);
	keep_orphans(s, norphans);
	return s->has_unread_jump || (s->has_table_jump && !s->has_table);
}

static bool is_stopped(const struct sweep *s)
{
	const atomic_bool *flag = s->module->is_stopped;

	return flag && atomic_load_explicit(flag, memory_order_relaxed);
}

static void sweep_area(struct sweep *s)
{
	struct hook_branches *b = s->branches;
	uint64_t at = s->code->lo.v, end = at + s->code->n;
	size_t i = 0;

	s->next_start = 0;
	while (i < b->bodies.len && b->bodies.data[i].hi <= at)
		i++;
	for (; i < b->bodies.len && b->bodies.data[i].lo < end; i++) {
		struct body *whole = &b->bodies.data[i], body = *whole;

		if (is_stopped(s))
			return;
		body.lo = max_u64(body.lo, at);
		body.hi = min_u64(body.hi, end);
		sweep_body(s, (struct body){.lo = at, .hi = body.lo});
		if (sweep_body(s, body))
			whole->is_computed = true;
		whole->runs_out = s->runs_on;
		whole->is_even =
			s->is_even && whole->lo == body.lo && whole->hi == body.hi;
		at = body.hi;
	}
	sweep_body(s, (struct body){.lo = at, .hi = end});
}

/* The body that holds pc has a jump that may lead anywhere in it. */
static void set_computed(struct hook_branches *b, uint64_t pc)
{
	size_t i = first_behind(b, pc);

	if (i < b->bodies.len && b->bodies.data[i].lo <= pc)
		b->bodies.data[i].is_computed = true;
}

static void mark_insns(struct hook_branches *b, const struct body *body)
{
	const struct area *a = sweep_area_of(b, body->lo);

	for (uint64_t pc = body->lo; pc < min_u64(body->hi, a->hi); pc++)
		if (is_boundary(a, pc))
			sweep_mark(b, pc);
}

/* Once all is read. */
static void mark_computed(struct sweep *s)
{
	struct hook_branches *b = s->branches;

	for (size_t i = 0; i < s->orphans.len; i++)
		if (!is_reached(b, s->orphans.data[i]))
			set_computed(b, s->orphans.data[i].lo.v);
	for (size_t i = 0; i < s->bases.len; i++)
		set_computed(b, s->bases.data[i]);
	for (size_t i = 0; i < b->bodies.len; i++)
		if (b->bodies.data[i].is_computed)
			mark_insns(b, &b->bodies.data[i]);
}

/* Words of code linked for one address that may be pointers into it: few are. */
static void mark_words(struct hook_branches *b, const uint8_t *p, size_t n)
{
	uint64_t lo = b->nareas ? b->areas[0].lo : 0;
	uint64_t size = b->nareas ? b->areas[b->nareas - 1].hi - lo : 0, word;

	for (; n >= 8; p += 8, n -= 8) {
		memcpy(&word, p, sizeof(word));
		if (word - lo < size)
			sweep_mark(b, word);
	}
}

static void mark_all_words(struct hook_branches *b, const struct hook_module *m)
{
	size_t left;

	for (size_t i = 0; i < m->ncode; i++) {
		const struct hook_bytes *part = &m->code[i];
		uint64_t at = align_up(part->lo.v, 8);

		for (; at < part->lo.v + part->n; at += HOOK_HELD) {
			const uint8_t *p;

			if (m->hold_code)
				m->hold_code(m->hold_ctx, taddr_of(at),
					     taddr_of(at + HOOK_HELD));
			p = hook_bytes_at(part, taddr_of(at), &left);
			if (p)
				mark_words(b, p, min_u64(left, HOOK_HELD));
		}
	}
	for (size_t i = 0; i < m->ndata; i++) {
		const struct hook_bytes *part = &m->data[i];
		uint64_t at = align_up(part->lo.v, 8);

		for (; at < part->lo.v + part->n; at += HOOK_HELD) {
			const uint8_t *p = sweep_data_at(m, at, &left);

			if (p)
				mark_words(b, p, min_u64(left, HOOK_HELD));
		}
	}
}

static void add_bodies(struct hook_branches *b, const struct addr_range *ranges,
		       size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t lo = ranges[i].lo.v, hi = ranges[i].hi.v;

		sweep_mark(b, lo);
		if (hi > lo && sweep_area_of(b, lo))
			*vec_push(&b->bodies) = (struct body){.lo = lo, .hi = hi};
	}
}

/* Sorts the ranges, notes where they begin, and joins those that overlap. */
static void join_bodies(struct hook_branches *b)
{
	struct body *data = b->bodies.data;
	size_t n = 0;

	if (!b->bodies.len)
		return;
	sort_runs(data, b->bodies.len, sizeof(*data));
	*vec_push(&b->starts) = data[0].lo;
	for (size_t i = 1; i < b->bodies.len; i++) {
		if (data[i].lo != b->starts.data[b->starts.len - 1])
			*vec_push(&b->starts) = data[i].lo;
		if (data[i].lo < data[n].hi)
			data[n].hi = max_u64(data[n].hi, data[i].hi);
		else
			data[++n] = data[i];
	}
	b->bodies.len = b->bodies.cap = n + 1;
	b->bodies.data = oom_realloc(data, b->bodies.len * sizeof(*data));
}

static void add_areas(struct hook_branches *b, const struct hook_module *m)
{
	b->areas = oom_calloc(m->ncode ? m->ncode : 1, sizeof(*b->areas));
	b->nareas = m->ncode;
	for (size_t i = 0; i < m->ncode; i++) {
		b->areas[i].lo = m->code[i].lo.v;
		b->areas[i].hi = m->code[i].lo.v + m->code[i].n;
		b->areas[i].bits = oom_calloc(m->code[i].n / 8 + 1, 1);
		b->areas[i].insns = oom_calloc(m->code[i].n / 8 + 1, 1);
	}
}

struct hook_branches *hook_branches_begin(const struct hook_module *m)
{
	struct hook_branches *b = oom_calloc(1, sizeof(*b));

	add_areas(b, m);
	for (size_t i = 0; i < m->npointers; i++)
		sweep_mark(b, m->pointers[i].v);
	add_bodies(b, m->functions, m->nfunctions);
	add_bodies(b, m->unwound, m->nunwound);
	join_bodies(b);
	return b;
}

void hook_branches_read(struct hook_branches *b, const struct hook_module *m)
{
	struct sweep s = {.module = m, .branches = b};

	if (m->is_fixed)
		mark_all_words(b, m);
	for (size_t i = 0; i < m->ncode; i++) {
		s.code = &m->code[i];
		s.insns = b->areas[i].insns;
		sweep_area(&s);
	}
	mark_computed(&s);
	free(s.copy.bytes);
	vec_release(&s.bases);
	vec_release(&s.orphans);
	vec_release(&s.loaded);
	vec_release(&s.labels);
}

struct hook_branches *hook_branches_new(const struct hook_module *m)
{
	struct hook_branches *b = hook_branches_begin(m);

	hook_branches_read(b, m);
	return b;
}

void hook_branches_free(struct hook_branches *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->nareas; i++) {
		free(b->areas[i].bits);
		free(b->areas[i].insns);
	}
	free(b->areas);
	vec_release(&b->starts);
	vec_release(&b->bodies);
	free(b);
}
