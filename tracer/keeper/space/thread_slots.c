/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/thread_slots.h"
#include "tracer/keeper/space/detours.h"
#include "tracer/keeper/os/procfs.h"
#include "tracer/keeper/os/ptrace.h"
#include "vm/base/host/claim.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/vec.h"

#include <string.h>

#define STACK_GROWS (UINT64_C(8) << 20) /* what it may grow by, as a rule */

static uint32_t take_tcb(struct detours *d)
{
	if (d->free_tcbs.len)
		return d->free_tcbs.data[--d->free_tcbs.len] + 1;
	return d->ntcbs < d->view.there.ntcbs ? ++d->ntcbs : 0;
}

static void count_drop(struct state *s, uint32_t slot, uint64_t n)
{
	atomic_fetch_add_explicit(&state_drops(s, slot)->records, n,
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
static void use_pair(struct thread_pairs *p, uint32_t pair, struct resident_tcb *tcb,
		     struct resident_thread *thread)
{
	for (uint32_t i = 0; i < RESIDENT_LEVELS; i++) {
		thread->slot[i] = resident_slot(pair, i);
		state_use_slot(p->state, thread->slot[i]);
		/* What the last owner's machine was bound to. */
		memset(tcb->level[i].internal, 0, sizeof(tcb->level[i].internal));
	}
}

/* Without one its counts are not cached. */
static uint64_t cache_of(const struct detours *d, uint32_t pair)
{
	return pair < d->caches.len ? d->caches.data[pair] : 0;
}

/* Tried twice. STATUS_GONE: the thread was killed, STATUS_IO: it lives on without. */
static int set_base(int tid, uint64_t base)
{
	int result = pt_set_tcb_base(tid, taddr_of(base));

	return result < 0 ? pt_set_tcb_base(tid, taddr_of(base)) : result;
}

void thread_slots_take(struct thread_slots *s, const struct thread_slots_request *r,
		       struct thread_slot *slot)
{
	struct detours *d = r->detours;
	struct resident_thread thread = {.identity = r->identity,
					 .tid = (uint32_t)r->tid};
	uint64_t base = d ? d->gate.v : 0;
	int status;

	if (!d || !d->is_installed || slot->tcb)
		return;
	slot->since = clock_now_ns();
	slot->tcb = take_tcb(d);
	if (slot->tcb && !r->is_inert)
		slot->pair = thread_pairs_take(&d->pairs);
	if (slot->pair) {
		use_pair(&d->pairs, slot->pair - 1, detours_tcb(d, slot->tcb), &thread);
		thread.cache = cache_of(d, slot->pair - 1);
	}
	if (slot->pair && r->finds_stack)
		find_stack(r->tid, &thread);
	if (slot->tcb)
		base = resident_register(&d->view, &d->place, slot->tcb - 1, &thread,
					 !slot->pair);
	status = set_base(r->tid, base);
	/* A thread that lives passes by all probes in resident code. */
	if (!r->is_inert && status != STATUS_GONE && (status || !slot->pair))
		count_drop(s->home, STATE_SLOT_KEEPER, 1);
}

static void note_liar(struct keeper_liars *l, int pid)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->pid[i] == pid)
			return;
	if (l->n < KEEPER_LIARS_MAX)
		l->pid[l->n++] = pid;
}

/* What the thread says that it has fired. */
static void add_fired(struct thread_slots *s, const struct resident_tcb *tcb, int pid,
		      const struct thread_slot *slot)
{
	uint64_t fired = resident_tcb_fired(tcb);

	if (fired > claim_most(clock_now_ns() - slot->since))
		note_liar(&s->liars, pid);
	else
		s->fired = claim_add(s->fired, fired);
}

void thread_slots_drop(struct thread_slots *s, struct detours *detours, int pid,
		       struct thread_slot *slot)
{
	struct resident_tcb *tcb = NULL;

	if (slot->tcb && detours && detours->view.block)
		tcb = detours_tcb(detours, slot->tcb);
	if (tcb && slot->pair) {
		add_fired(s, tcb, pid, slot);
		thread_pairs_give(&detours->pairs, slot->pair - 1,
				  resident_tcb_lost(tcb));
	}
	if (tcb) {
		resident_tcb_leave(tcb); /* it may have been killed inside a hit */
		*vec_push(&detours->free_tcbs) = slot->tcb - 1;
	}
	*slot = (struct thread_slot){0};
}

void thread_slots_clear_base(int tid)
{
	set_base(tid, 0);
}
