/* SPDX-License-Identifier: MIT */
/*
 * Where control may arrive in a module other than by running on: one bit a byte of code.
 * A bit too many costs one jump, a bit too few corrupts the program, so whatever may be
 * a code address counts as one. sweep.c sets the bits.
 */
#include "hook/branches.h"

#include "hook/sweep.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/sort.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>

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

void sweep_mark_all(struct hook_branches *b, uint64_t lo, uint64_t hi)
{
	for (uint64_t pc = lo; pc < hi; pc++)
		sweep_mark(b, pc);
}

bool branches_are_known(const struct hook_branches *b, taddr pc)
{
	size_t lo = 0, hi = b->known.len;

	if (b->is_whole)
		return true;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (b->known.data[mid].hi.v <= pc.v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < b->known.len && b->known.data[lo].lo.v <= pc.v;
}

bool sweep_is_marked(const struct hook_branches *b, uint64_t pc)
{
	const struct area *a = sweep_area_of(b, pc);

	return a && a->bits[(pc - a->lo) / 8] >> (pc - a->lo) % 8 & 1;
}

bool branches_is_marked(const struct hook_branches *b, uint64_t pc)
{
	return sweep_is_marked(b, pc);
}

bool hook_branches_has(const struct hook_branches *b, taddr pc)
{
	return sweep_is_marked(b, pc.v) ||
	       (sweep_area_of(b, pc.v) && !branches_are_known(b, pc));
}

bool hook_branches_are_read(const struct hook_branches *b)
{
	return b->is_whole || b->known.len;
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

size_t sweep_first_behind(const struct hook_branches *b, uint64_t pc)
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
	size_t i = sweep_first_behind(b, pc.v);

	if (i < b->bodies.len && b->bodies.data[i].lo <= pc.v)
		return &b->bodies.data[i];
	return NULL;
}

static bool is_read(const struct hook_branches *b, const struct body *body)
{
	return b->is_whole || body->is_read;
}

bool branches_gap(const struct hook_branches *b, taddr at, struct addr_range *gap)
{
	size_t i = sweep_first_behind(b, at.v);

	for (i = i ? i - 1 : 0; i < b->bodies.len; i++) {
		const struct body *body = &b->bodies.data[i];
		const struct area *area = sweep_area_of(b, body->lo);
		uint64_t end = area->hi;

		if (i + 1 < b->bodies.len)
			end = min_u64(end, body[1].lo);
		if (!is_read(b, body) || body->runs_out || end <= body->hi ||
		    end <= at.v)
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

	return !body || body->is_computed || !is_read(b, body);
}

/* Whether an instruction begins at pc, which is in the area. */
static bool is_boundary(const struct area *a, uint64_t pc)
{
	return a->insns[(pc - a->lo) / 8] >> (pc - a->lo) % 8 & 1;
}

bool branches_are_read(const struct hook_branches *b, struct addr_range part)
{
	const struct body *body = body_of(b, part.lo);

	return body && is_read(b, body) && body->is_even && part.hi.v <= body->hi &&
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
	vec_release(&b->known);
	free(b);
}
