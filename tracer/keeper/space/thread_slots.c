/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/thread_slots.h"
#include "tracer/keeper/space/detours.h"
#include "tracer/keeper/os/procfs.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/space/task.h"
#include "vm/base/host/vec.h"

#include <string.h>

#define STACK_GROWS (UINT64_C(8) << 20) /* what it may grow by, as a rule */

void thread_slots_init(struct thread_slots *s, struct state *state)
{
	uint32_t n = state_nslots(state);

	*s = (struct thread_slots){.state = state};
	if (n > STATE_SLOT_FIRST_THREAD)
		s->npairs = (n - STATE_SLOT_FIRST_THREAD) / RESIDENT_LEVELS;
}

void thread_slots_release(struct thread_slots *s)
{
	vec_release(&s->free);
}

/* A pair's number + 1, or 0. */
static uint32_t take_pair(struct thread_slots *s)
{
	if (s->free.len)
		return s->free.data[--s->free.len] + 1;
	return s->nused < s->npairs ? ++s->nused : 0;
}

static uint32_t take_area(struct detours *h)
{
	if (h->free_areas.len)
		return h->free_areas.data[--h->free_areas.len] + 1;
	return h->nareas < h->block->config.nareas ? ++h->nareas : 0;
}

static struct resident_area *area_of(struct detours *h, uint32_t index)
{
	return (void *)((char *)h->block + h->block->areas_at +
			index * (uint64_t)RESIDENT_AREA_BYTES);
}

static void count_drop(struct thread_slots *s, uint32_t slot, uint64_t n)
{
	atomic_fetch_add_explicit(&state_drops(s->state, slot)->records, n,
				  memory_order_relaxed);
}

/*
 * The stack that the thread is on, if walks need it: from rsp to its end resident
 * code reads without asking. The first thread's grows down to where it may.
 */
static void find_stack(const struct task *task, struct resident_thread *thread)
{
	struct procfs_maps maps = {0};
	const struct procfs_area *a;
	struct regs regs;

	if (!task->process->space->stacks || pt_regs(task->tid, &regs) < 0 ||
	    procfs_maps(task->tid, &maps) < 0)
		return;
	a = procfs_maps_find(&maps, regs_sp(&regs));
	if (a && a->is_writable) {
		thread->stack_lo = a->lo;
		thread->stack_hi = a->hi;
		if (a->kind == AREA_STACK)
			thread->stack_lo -= min_u64(a->lo, STACK_GROWS);
	}
	procfs_maps_release(&maps);
}

void thread_slots_take(struct thread_slots *s, struct task *task, bool is_inert)
{
	struct detours *h = task->process->space->detours;
	struct resident_thread thread = {.identity = task->identity,
					 .tid = (uint32_t)task->tid};
	struct resident_area *area;
	uint64_t base;

	if (!h || !h->is_installed || task->area)
		return;
	task->area = take_area(h);
	if (task->area && !is_inert)
		task->pair = take_pair(s);
	if (!task->pair && !is_inert)
		count_drop(s, STATE_SLOT_KEEPER, 1);
	if (!task->area) {
		thread_slots_clear_base(task);
		return;
	}
	for (uint32_t i = 0; task->pair && i < RESIDENT_LEVELS; i++) {
		thread.slot[i] = resident_slot(task->pair - 1, i);
		state_use_slot(s->state, thread.slot[i]);
	}
	/* What the last owner's machine was bound to. */
	area = area_of(h, task->area - 1);
	for (uint32_t i = 0; task->pair && i < RESIDENT_LEVELS; i++)
		memset(area->level[i].own, 0, sizeof(area->level[i].own));
	if (task->pair)
		find_stack(task, &thread);
	base = resident_register(h->block, &h->place, task->area - 1, &thread,
				 !task->pair);
	/* Without it the thread passes by all probes in resident code. */
	if (pt_set_tcb_base(task->tid, base) < 0 &&
	    pt_set_tcb_base(task->tid, base) < 0 && task->pair)
		count_drop(s, STATE_SLOT_KEEPER, 1);
}

static void drop_pair(struct thread_slots *s, struct task *task,
		      struct resident_area *area)
{
	uint32_t pair = task->pair - 1;
	uint64_t lost = area ? atomic_load(&area->gate.lost) : 0;

	s->fired += area ? area->gate.fired : 0;
	if (lost)
		count_drop(s, resident_slot(pair, 0), lost);
	for (uint32_t i = 0; i < RESIDENT_LEVELS; i++)
		state_release_claims(s->state, resident_slot(pair, i));
	*vec_push(&s->free) = pair;
	task->pair = 0;
}

void thread_slots_drop(struct thread_slots *s, struct task *task)
{
	struct detours *h = task->process ? task->process->space->detours : NULL;
	struct resident_area *area = NULL;

	if (task->area && h && h->block)
		area = area_of(h, task->area - 1);
	if (task->pair)
		drop_pair(s, task, area);
	if (area)
		*vec_push(&h->free_areas) = task->area - 1;
	task->area = 0;
}

void thread_slots_clear_base(const struct task *task)
{
	if (pt_set_tcb_base(task->tid, 0) < 0)
		pt_set_tcb_base(task->tid, 0);
}
