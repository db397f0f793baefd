/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/thread_slots.h"
#include "tracer/keeper/space/detours.h"
#include "tracer/keeper/os/procfs.h"
#include "tracer/keeper/os/ptrace.h"
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

static uint32_t take_tcb(struct detours *d)
{
	if (d->free_tcbs.len)
		return d->free_tcbs.data[--d->free_tcbs.len] + 1;
	return d->ntcbs < d->view.layout.config.ntcbs ? ++d->ntcbs : 0;
}

static void count_drop(struct thread_slots *s, uint32_t slot, uint64_t n)
{
	atomic_fetch_add_explicit(&state_drops(s->state, slot)->records, n,
				  memory_order_relaxed);
}

/*
 * The stack that the thread is on: from sp to its end resident code reads it without
 * asking the kernel first. The first thread's grows down to where it may.
 */
static void find_stack(int tid, struct resident_thread *thread)
{
	struct procfs_maps maps = {0};
	const struct procfs_area *a;
	struct regs regs;

	if (pt_regs(tid, &regs) < 0 || procfs_maps(tid, &maps) < 0)
		return;
	a = procfs_maps_find(&maps, taddr_of(regs_sp(&regs)));
	if (a && a->is_writable) {
		thread->stack_lo = a->range.lo.v;
		thread->stack_hi = a->range.hi.v;
		if (a->kind == AREA_STACK)
			thread->stack_lo -= min_u64(a->range.lo.v, STACK_GROWS);
	}
	procfs_maps_release(&maps);
}

/* The state slots of the pair, for a thread that had none. */
static void use_pair(struct thread_slots *s, uint32_t pair, struct resident_tcb *tcb,
		     struct resident_thread *thread)
{
	for (uint32_t i = 0; i < RESIDENT_LEVELS; i++) {
		thread->slot[i] = resident_slot(pair, i);
		state_use_slot(s->state, thread->slot[i]);
		/* What the last owner's machine was bound to. */
		memset(tcb->level[i].internal, 0, sizeof(tcb->level[i].internal));
	}
}

void thread_slots_take(struct thread_slots *s, const struct thread_slots_request *r,
		       struct thread_slot *slot)
{
	struct detours *d = r->detours;
	struct resident_thread thread = {.identity = r->identity,
					 .tid = (uint32_t)r->tid};
	uint64_t base;

	if (!d || !d->is_installed || slot->tcb)
		return;
	slot->tcb = take_tcb(d);
	if (slot->tcb && !r->is_inert)
		slot->pair = take_pair(s);
	if (!slot->pair && !r->is_inert)
		count_drop(s, STATE_SLOT_KEEPER, 1);
	if (!slot->tcb) {
		thread_slots_clear_base(r->tid);
		return;
	}
	if (slot->pair)
		use_pair(s, slot->pair - 1, detours_tcb(d, slot->tcb), &thread);
	if (slot->pair && r->finds_stack)
		find_stack(r->tid, &thread);
	base = resident_register(&d->view, &d->place, slot->tcb - 1, &thread,
				 !slot->pair);
	/* Without it the thread passes by all probes in resident code. */
	if (pt_set_tcb_base(r->tid, taddr_of(base)) < 0 &&
	    pt_set_tcb_base(r->tid, taddr_of(base)) < 0 && slot->pair)
		count_drop(s, STATE_SLOT_KEEPER, 1);
}

static void drop_pair(struct thread_slots *s, uint32_t pair,
		      const struct resident_tcb *tcb)
{
	uint64_t lost = tcb ? resident_tcb_lost(tcb) : 0;

	s->fired += tcb ? resident_tcb_fired(tcb) : 0;
	if (lost)
		count_drop(s, resident_slot(pair, 0), lost);
	for (uint32_t i = 0; i < RESIDENT_LEVELS; i++)
		state_release_claims(s->state, resident_slot(pair, i));
	*vec_push(&s->free) = pair;
}

void thread_slots_drop(struct thread_slots *s, struct detours *detours,
		       struct thread_slot *slot)
{
	struct resident_tcb *tcb = NULL;

	if (slot->tcb && detours && detours->view.block)
		tcb = detours_tcb(detours, slot->tcb);
	if (slot->pair)
		drop_pair(s, slot->pair - 1, tcb);
	if (tcb)
		*vec_push(&detours->free_tcbs) = slot->tcb - 1;
	*slot = (struct thread_slot){0};
}

void thread_slots_clear_base(int tid)
{
	if (pt_set_tcb_base(tid, taddr_of(0)) < 0)
		pt_set_tcb_base(tid, taddr_of(0));
}
