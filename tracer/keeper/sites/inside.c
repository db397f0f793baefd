/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/sites/inside.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/ptrace.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/search.h"
#include "vm/base/host/sort.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>

#define FRAMES_BYTES 65536 /* of each stack that are searched for signal frames */

/* Whether pc is inside bytes that the plan takes over. */
static bool is_inside(const struct hook_plan *plan, taddr pc)
{
	uint64_t lo = plan->patch.v, island = plan->island.at.v;

	return (pc.v > lo && pc.v < lo + plan->covered &&
		!hook_plan_is_head(plan, pc)) ||
	       (pc.v > island && pc.v < island + plan->island.covered);
}

static struct detour_request *find_by_island(const struct inside *x, uint64_t pc)
{
	size_t n = x->islands.len ? search_at_most(&x->islands.data->at, x->islands.len,
						   sizeof(*x->islands.data), pc)
				  : 0;
	struct detour_request *j = n ? x->islands.data[n - 1].by : NULL;

	return j && is_inside(&j->plan, taddr_of(pc)) ? j : NULL;
}

/* The request that has pc inside its bytes, or NULL. */
static struct detour_request *find(const struct inside *x, uint64_t pc)
{
	struct detour_request *all = x->list->data;
	size_t n = search_at_most(&all->plan.patch, x->list->len, sizeof(*all), pc);

	if (n && !all[n - 1].is_joining && is_inside(&all[n - 1].plan, taddr_of(pc)))
		return &all[n - 1];
	return find_by_island(x, pc);
}

void inside_init(struct inside *x, const struct detour_requests *list,
		 const struct all_stop *all)
{
	*x = (struct inside){.list = list};
	for (size_t i = 0; i < list->len; i++) {
		struct detour_request *j = &list->data[i];

		if (!j->is_joining && hook_plan_has_island(&j->plan))
			*vec_push(&x->islands) =
				(struct inside_island){j->plan.island.at.v, j};
	}
	sort_runs(x->islands.data, x->islands.len, sizeof(*x->islands.data));
	for (size_t i = 0; i < all->threads.len; i++) {
		struct all_stop_thread *t = &all->threads.data[i];

		if (t->tid && find(x, t->pc.v))
			*vec_push(&x->threads) = t;
	}
}

void inside_release(struct inside *x)
{
	vec_release(&x->islands);
	vec_release(&x->threads);
}

/*
 * A signal handler may have interrupted the thread inside bytes to be patched. The
 * handler's frame on the stack will return there. No call returns to such an address, so
 * any word on the stack that holds one is taken for such a frame.
 */
static void refuse_frames(const struct inside *x, const struct all_stop_thread *t,
			  int mem, uint64_t *words)
{
	uint64_t at = align_down(t->sp.v, sizeof(*words));
	size_t n = mem_peek(mem, taddr_of(at), words, FRAMES_BYTES) / sizeof(*words);

	for (size_t i = 0; i < n; i++) {
		struct detour_request *j = find(x, words[i]);

		if (j)
			j->reason = KEEPER_REASON_THREADS;
	}
}

void inside_refuse_frames(const struct inside *x, const struct all_stop *all, int mem)
{
	uint64_t *words = oom_realloc(NULL, FRAMES_BYTES);

	for (size_t i = 0; i < all->threads.len; i++)
		if (all->threads.data[i].tid)
			refuse_frames(x, &all->threads.data[i], mem, words);
	free(words);
}

/* Where in the stub a thread goes on whose pc is in patched bytes; 0: nowhere. */
static taddr moved_pc(const struct detour *detour, taddr pc)
{
	struct stub_request req = detours_request(detour);
	struct stub stub;
	int at = -1;

	if (stub_build(&req, &stub) == 0)
		at = stub_offset_of(&stub, &detour->plan, pc);
	return at < 0 ? taddr_of(0) : taddr_add(detour->stub, at);
}

bool inside_can_move(const struct inside *x, const struct detour *detour)
{
	for (size_t i = 0; i < x->threads.len; i++) {
		const struct all_stop_thread *t = x->threads.data[i];

		if (is_inside(&detour->plan, t->pc) &&
		    (t->is_asleep || !moved_pc(detour, t->pc).v))
			return false;
	}
	return true;
}

void inside_move(const struct inside *x, const struct detour *detour)
{
	for (size_t i = 0; i < x->threads.len; i++) {
		struct all_stop_thread *t = x->threads.data[i];

		if (!is_inside(&detour->plan, t->pc))
			continue;
		t->pc = moved_pc(detour, t->pc);
		/* There is no instruction at its pc any more: tried twice. */
		if (pt_set_pc(t->tid, t->pc) < 0)
			pt_set_pc(t->tid, t->pc);
	}
}
