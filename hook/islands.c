/* SPDX-License-Identifier: MIT */
#include "hook/islands.h"

#include "hook/branches.h"
#include "hook/held.h"
#include "vm/base/bytes.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>

/* Where jmp rel8 reaches, counted from after its two bytes. */
#define REACH_BACK  128
#define REACH_AHEAD 127

static void add_run(struct island_rooms *r, const struct insn *in, bool is_behind_end)
{
	struct addr_range *last = r->runs.len ? &r->runs.data[r->runs.len - 1] : NULL;
	taddr hi = taddr_add(in->addr, in->len);

	if (!plan_is_padding(in))
		return;
	if (last && last->hi.v == in->addr.v)
		last->hi = hi;
	else if (is_behind_end)
		*vec_push(&r->runs) = (struct addr_range){in->addr, hi};
}

/* The first busy range that ends after lo, from *k on, when it begins before hi. */
static const struct addr_range *busy_in(const struct island_rooms *r, taddr lo,
					taddr hi, size_t *k)
{
	while (*k < r->busy.len && r->busy.data[*k].hi.v <= lo.v)
		(*k)++;
	return *k < r->busy.len && r->busy.data[*k].lo.v < hi.v ? &r->busy.data[*k]
								: NULL;
}

static void cut_runs(struct island_rooms *r)
{
	size_t k = 0;

	for (size_t i = 0; i < r->runs.len; i++) {
		struct addr_range *run = &r->runs.data[i];
		const struct addr_range *busy = busy_in(r, run->lo, run->hi, &k);

		if (busy)
			run->hi.v = max_u64(run->lo.v, busy->lo.v);
	}
}

void island_rooms_read(struct island_rooms *r, const struct planning *p)
{
	struct planning at = *p;
	bool is_behind_end = false;
	struct insn in;

	if (branches_is_computed(p->branches, p->lo))
		return;
	for (taddr pc = p->lo; pc.v < p->hi.v; pc = taddr_add(pc, in.len)) {
		if (!planning_begin(&at, pc) ||
		    decode_quick(at.code, at.left, pc, &in) != 0)
			break;
		*vec_push(&r->starts) = pc;
		add_run(r, &in, is_behind_end);
		is_behind_end = !insn_falls_through(&in);
	}
	cut_runs(r);
}

void island_rooms_release(struct island_rooms *r)
{
	vec_release(&r->busy);
	vec_release(&r->runs);
	vec_release(&r->starts);
}

/*
 * Where the padding that begins at lo ends, at hi at the latest, or something arrives
 * in it: that would run on into an island after it.
 */
static uint64_t end_of_padding(const struct planning *p, uint64_t lo, uint64_t hi)
{
	struct planning at = *p;
	uint64_t end = lo;
	struct insn in;

	at.hi.v = hi;
	if (!planning_begin(&at, taddr_of(lo)))
		return lo;
	while (end < hi && planning_decode(&at, (size_t)(end - lo), &in) == 0 &&
	       plan_is_padding(&in))
		end += in.len;
	end = min_u64(end, hi);
	for (uint64_t i = lo; i < end; i++)
		if (hook_branches_has(p->branches, taddr_of(i)))
			return i;
	return end;
}

/* Addresses that the short jump reaches: one only when its second byte is given. */
static struct addr_range reach_of(const struct planning *p)
{
	const struct hook_plan *plan = p->plan;
	uint64_t from = plan->patch.v + HOOK_SHORT;
	uint64_t to = from + (uint64_t)(int64_t)(int8_t)plan->original[1];

	if (hook_plan_patched(plan) < HOOK_SHORT)
		return (struct addr_range){taddr_of(to), taddr_of(to + 1)};
	return (struct addr_range){taddr_of(from > REACH_BACK ? from - REACH_BACK : 0),
				   taddr_of(from + REACH_AHEAD + 1)};
}

static void use(const struct planning *p, const struct hook_island *island)
{
	struct hook_plan *plan = p->plan;

	plan->island = *island;
	held_take(p->islands, island->at, island->covered, plan->patch);
	held_take(p->islands, plan->patch, hook_plan_held(plan), plan->patch);
}

bool islands_take_pun(const struct planning *p)
{
	struct hook_island island = {.at = hook_pun_target(p->plan),
				     .covered = HOOK_JUMP};

	if (held_is_taken(p->islands, island.at, HOOK_JUMP, p->plan->patch))
		return false;
	use(p, &island);
	return true;
}

static bool is_beside(const struct hook_plan *plan, taddr at, size_t n)
{
	return at.v + n <= plan->patch.v ||
	       at.v >= plan->patch.v + hook_plan_held(plan);
}

/* An island in the padding that may be at [lo, hi). */
static bool find_padding(const struct planning *p, struct addr_range room)
{
	struct addr_range reach = reach_of(p);
	struct planning there = *p;
	uint64_t end;

	if (room.hi.v <= reach.lo.v || room.lo.v >= reach.hi.v)
		return false;
	end = end_of_padding(p, room.lo.v, room.hi.v);
	for (taddr at = taddr_of(max_u64(reach.lo.v, room.lo.v));
	     at.v < reach.hi.v && at.v + HOOK_JUMP <= end; at.v++) {
		struct hook_island island = {.at = at, .covered = HOOK_JUMP};

		if (!is_beside(p->plan, at, HOOK_JUMP) ||
		    !planning_is_dead(p, at, HOOK_JUMP))
			continue;
		there.hi = room.hi;
		planning_begin(&there, at);
		bytes_copy(island.original, there.code, HOOK_JUMP);
		use(p, &island);
		return true;
	}
	return false;
}

/* Padding after the functions that come later is left to their own ends. */
static bool find_gap(const struct planning *p)
{
	struct addr_range reach = reach_of(p), gap;
	taddr at = reach.lo;

	while (branches_gap(p->branches, at, &gap) && gap.lo.v <= p->hi.v &&
	       gap.lo.v < reach.hi.v) {
		if (find_padding(p, gap))
			return true;
		at = gap.hi;
	}
	return false;
}

/* An island `entry` bytes after `at`, in the place of instructions from there on. */
static bool make_room(const struct planning *p, const struct island_rooms *rooms,
		      taddr at, uint64_t entry)
{
	struct hook_plan host = {.site = at};
	struct planning there = *p;
	struct hook_island island;
	struct insn first;
	size_t k = 0;

	there.plan = &host;
	there.jump = (size_t)entry + HOOK_JUMP;
	if (!planning_begin(&there, at) || plan_first(&there, &first) ||
	    plan_region(&there, taddr_add(at, first.len)) || plan_finish(&there) ||
	    host.padding || !is_beside(p->plan, at, host.covered) ||
	    busy_in(rooms, at, taddr_add(at, host.covered), &k) ||
	    held_is_taken(p->islands, at, host.covered, p->plan->patch))
		return false;
	island = (struct hook_island){
		at, host.covered, (uint8_t)entry, host.ninsns, {0}};
	bytes_copy(island.original, host.original, host.covered);
	use(p, &island);
	return true;
}

static bool find_host(const struct planning *p, const struct island_rooms *rooms)
{
	struct addr_range reach = reach_of(p);

	for (size_t i = 0; i < rooms->starts.len; i++) {
		taddr at = rooms->starts.data[i];
		uint64_t entry = max_u64(at.v + HOOK_JUMP, reach.lo.v) - at.v;

		if (at.v + entry >= reach.hi.v)
			return false;
		if (entry + HOOK_JUMP <= HOOK_COVERED_MAX &&
		    make_room(p, rooms, at, entry))
			return true;
	}
	return false;
}

bool islands_find(const struct planning *p, const struct island_rooms *rooms)
{
	for (size_t i = 0; i < rooms->runs.len; i++)
		if (find_padding(p, rooms->runs.data[i]))
			return true;
	return find_gap(p) || find_host(p, rooms);
}
