/* SPDX-License-Identifier: MIT */
/*
 *	interrupt all --> collect: each in PTRACE_EVENT_STOP, at an original
 *	address --> restore text --> unmap our memory --> detach all
 *
 * A thread that sleeps in the kernel and does not stop in time is detached at its next
 * stop. If it sleeps in memory of ours (in a system call that runs out of line, or for a
 * page), that memory stays mapped until the last such thread has left it, and the keeper
 * stays as long. The text is restored at once, and the front does not wait.
 *
 * A signal stop on the way is passed on. The interrupt stays pending, so the thread gets
 * its signal (a handler's frame) and stops again before it runs.
 */
#include "tracer/keeper/threads/detach.h"
#include "tracer/keeper/threads/child.h"
#include "tracer/keeper/threads/consumed_stop.h"
#include "tracer/keeper/threads/event.h"
#include "tracer/keeper/threads/exec.h"
#include "tracer/keeper/threads/lost_thread.h"
#include "tracer/keeper/threads/stopped.h"
#include "tracer/keeper/threads/stub_exit.h"
#include "tracer/keeper/inject/trap_handler.h"
#include "tracer/keeper/os/deadline.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/space/remote_call.h"
#include "vm/base/host/vec.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define COLLECT_MS 1500
#define BIRTH_MS   2000
#define HURRY_MS   1500
#define SHARE_MS   400 /* of each space, though others have used up HURRY_MS */
#define GLANCE_MS  20  /* then it is checked whether the thread waits in vfork */

struct release {
	struct keeper *k;
	struct space *space;
	struct deadline deadline;
	struct {
		int *data;
		size_t len, cap;
	} stopped; /* tids that can be detached now */
};

/* Some thread in the space that is in one of the states, or NULL. */
static struct task *find_in_state(const struct release *r, unsigned states)
{
	for (struct process *p = r->k->tasks.processes; p; p = p->next) {
		if (p->space != r->space)
			continue;
		for (struct task *t = p->tasks; t; t = t->next)
			if (!t->is_leaving && (states >> t->state & 1))
				return t;
	}
	return NULL;
}

/* All are interrupted first, so that they stop at the same time. */
static void interrupt_all(const struct release *r)
{
	for (struct process *p = r->k->tasks.processes; p; p = p->next) {
		if (p->space != r->space)
			continue;
		for (struct task *t = p->tasks; t; t = t->next) {
			if (t->state == TASK_NEW || t->is_leaving)
				continue; /* it stops by itself */
			pt_interrupt(t->tid);
			room_leave(t);
			if (t->state == TASK_HELD)
				pt_cont(t->tid, 0);
			t->state = TASK_RUNNING;
		}
	}
}

static void note_stopped(struct release *r, struct task *t)
{
	t->state = TASK_STOPPED;
	*vec_push(&r->stopped) = t->tid;
}

/* A signal, or our trap: the thread gets it and goes on to the interrupt. */
static void pass_signal(struct keeper *k, struct task *t, int status)
{
	int sig;

	if (stopped_settle(k, t, status, &sig) < 0)
		return;
	pt_interrupt(t->tid);
	pt_cont(t->tid, sig);
}

/* Handles one stop on the way. True: the thread needs no more waiting. */
static bool take_stop(struct release *r, struct task *t, int status)
{
	int sig, result;

	t->status = status;
	switch (status >> 16) {
	case PT_EVENT_VFORK:
		/* It sleeps until its child calls exec: it is detached from this stop. */
		child_event(r->k, t);
		stopped_settle(r->k, t, status, &sig);
		note_stopped(r, t);
		return true;
	case PT_EVENT_FORK:
	case PT_EVENT_CLONE:
		child_event(r->k, t);
		pt_cont(t->tid, 0);
		return false;
	case PT_EVENT_EXEC:
		exec_event(r->k, t);
		return true;
	case PT_EVENT_STOP:
		if (t->process->role == ROLE_FORKED) {
			child_first_stop(r->k, t, status);
			return true;
		}
		result = stopped_settle(r->k, t, status, &sig);
		if (result == STATUS_BUSY)
			pt_cont(t->tid, 0);
		if (result < 0)
			return false;
		note_stopped(r, t);
		return true;
	case PT_EVENT_NONE:
		pass_signal(r->k, t, status);
		return false;
	default:
		pt_cont(t->tid, 0);
		return false;
	}
}

static void collect_one(struct release *r, struct task *t)
{
	bool is_child = t->process->role == ROLE_FORKED;
	/* A fork child is about to stop, and could not be cleaned later. */
	struct deadline birth = deadline_in(is_child ? BIRTH_MS : 0);

	while (!r->space->patience.is_lost) {
		bool is_late = !deadline_left(&r->deadline) && !deadline_left(&birth);
		int status, result;

		result = wait_queue_wait_tid(&r->k->waits, t->tid,
					     is_late ? 1 : GLANCE_MS, &status);
		if (result == STATUS_BUSY && consumed_stop_status(r->k, t, &status)) {
			if (!is_late && !take_stop(r, t, status))
				continue; /* a request failed: try again */
			if (t->state != TASK_STOPPED && is_late)
				note_stopped(r, t);
			return;
		}
		if (result == STATUS_BUSY && !is_late && !procfs_in_vfork(t->tid)) {
			pt_interrupt(t->tid);
			continue;
		}
		if (result == STATUS_BUSY)
			t->is_leaving = true;
		else if (result < 0)
			t->state = TASK_STOPPED; /* dead */
		if (result < 0 || take_stop(r, t, status))
			return;
	}
}

/* A vfork child has called exec: its parent is about to stop as any other thread. */
static bool collect_woken(const struct release *r)
{
	bool is_any = false;

	for (struct process *p = r->k->tasks.processes; p; p = p->next) {
		if (p->space != r->space)
			continue;
		for (struct task *t = p->tasks; t; t = t->next) {
			if (!t->is_leaving || procfs_in_vfork(t->tid))
				continue;
			t->is_leaving = false;
			is_any = true;
		}
	}
	return is_any;
}

/* A space that took all the time leaves some for those after it, which do no harm. */
static void share_hurry(struct keeper *k)
{
	if (k->waits.hurry && deadline_left(k->waits.hurry) < SHARE_MS)
		k->hurry = deadline_in(SHARE_MS);
}

static void collect(struct release *r)
{
	struct task *t;

	share_hurry(r->k);
	r->deadline = deadline_in(COLLECT_MS);
	if (r->k->waits.hurry)
		r->deadline.left =
			min_u64(COLLECT_MS, deadline_left(r->k->waits.hurry));
	interrupt_all(r);
	do {
		while (!r->space->patience.is_lost &&
		       (t = find_in_state(r, 1u << TASK_RUNNING | 1u << TASK_NEW)))
			collect_one(r, t);
	} while (!r->space->patience.is_lost && deadline_left(&r->deadline) &&
		 collect_woken(r));
}

/* It sleeps in memory of ours; or it runs, and may be anywhere. */
static bool may_be_inside(const struct space *s, const struct task *t)
{
	struct procfs_syscall call;

	return procfs_syscall(t->tid, &call) < 0 ||
	       space_where(s, call.pc, call.sp).where >= WHERE_SLOT_BEFORE;
}

/* Whether a thread that has not stopped yet, except self, may run in memory of ours. */
static bool may_run_inside(const struct keeper *k, const struct space *s,
			   const struct task *self)
{
	for (struct process *p = k->tasks.processes; p; p = p->next) {
		if (p->space != s)
			continue;
		for (struct task *t = p->tasks; t; t = t->next)
			if (t != self && t->is_leaving && may_be_inside(s, t))
				return true;
	}
	return false;
}

/* A stopped thread in which system calls can be made, or NULL. */
static struct task *find_caller(const struct release *r)
{
	for (size_t i = 0; i < r->stopped.len; i++) {
		struct task *t = task_find(&r->k->tasks, r->stopped.data[i]);

		if (t && t->status >> 16 == PT_EVENT_STOP)
			return t;
	}
	return NULL;
}

static bool has_leaving(const struct release *r)
{
	for (struct process *p = r->k->tasks.processes; p; p = p->next)
		for (struct task *t = p->tasks; p->space == r->space && t; t = t->next)
			if (t->is_leaving)
				return true;
	return false;
}

static void report_changed(const struct release *r)
{
	for (struct process *p = r->k->tasks.processes; p; p = p->next)
		if (p->space == r->space) {
			event_changed(r->k, p);
			event_waited(r->k, p);
		}
}

/* Writes the program's own bytes; our memory stays mapped. */
static void restore_text(const struct release *r)
{
	struct space *s = r->space;
	int tid = r->stopped.len ? r->stopped.data[0] : 0;

	report_changed(r);
	space_restore(s, tid, s->mem);
	semaphores_lower(&s->semaphores, s->mem);
	space_note_semaphores(s);
	/* Fork children that have not stopped yet have copies of our bytes. */
	if (!has_leaving(r))
		space_note_restored(s);
}

/*
 * The thread, in PTRACE_EVENT_STOP, unmaps all our memory. If a seccomp filter that was
 * installed later forbids that, the memory stays, unused.
 */
static void unmap(struct keeper *k, struct space *s, struct task *caller)
{
	struct remote_call remote = {0};
	struct space_mapping m;

	if (!s->mappings.len ||
	    remote_call_begin(&remote, &k->waits, caller, s->mem) < 0)
		return;
	trap_handler_remove(&remote, s);
	while (space_pop_mapping(s, &m))
		remote_call_unmap(&remote, m.lo, m.size);
	remote_call_end(&remote, &caller->status);
}

/* In the stop inside vfork(2) no call can be made: the next stop of a thread unmaps. */
static void postpone(struct release *r)
{
	for (size_t i = 0; i < r->stopped.len; i++) {
		struct task *t = task_find(&r->k->tasks, r->stopped.data[i]);

		if (!t)
			continue;
		t->is_leaving = true;
		t->state = TASK_RUNNING;
		pt_interrupt(t->tid);
		pt_cont(t->tid, 0);
	}
	r->stopped.len = 0;
}

/*
 * Memory in which threads may sleep is unmapped with the last of these, by
 * detach_late().
 */
static void undo(struct release *r)
{
	struct task *caller = find_caller(r);

	restore_text(r);
	if (caller && !may_run_inside(r->k, r->space, NULL))
		unmap(r->k, r->space, caller);
	else if (!caller && r->space->mappings.len)
		postpone(r);
}

static void forget_empty(struct keeper *k, const struct space *space)
{
	struct process *next;

	for (struct process *p = k->tasks.processes; p; p = next) {
		next = p->next;
		if (p->space == space && !p->ntasks)
			process_remove(&k->tasks, p);
	}
}

static void detach_stopped(struct release *r)
{
	struct task *t;

	for (size_t i = 0; i < r->stopped.len; i++) {
		t = task_find(&r->k->tasks, r->stopped.data[i]);
		/* A new thread has the GS base of its creator, and no slot. */
		if (t && r->space->detours && r->space->detours->is_installed)
			thread_slots_clear_base(t->tid);
		if (t)
			task_block_trap_again(t);
		pt_detach(r->stopped.data[i], 0);
	}
	while ((t = find_in_state(r, 1u << TASK_STOPPED)))
		task_remove(&r->k->tasks, t);
	forget_empty(r->k, r->space);
}

/*
 * A detached process must not be killed at our end, though a thread of it still sleeps.
 */
static void spare_created(struct keeper *k, const struct space *space)
{
	for (struct process *p = k->tasks.processes; p; p = p->next)
		if (p->space == space)
			p->is_created = false;
}

void detach_process(struct keeper *k, struct process *p)
{
	int pid = p->pid;
	bool is_lost;

	/* If it calls exec on the way, the new image is released as well. */
	for (int turns = 0; p && turns < 3; turns++) {
		struct release r = {.k = k, .space = space_ref(p->space)};

		spare_created(k, p->space);
		collect(&r);
		if (!r.space->patience.is_lost)
			undo(&r);
		if (!r.space->patience.is_lost)
			detach_stopped(&r);
		vec_release(&r.stopped);
		is_lost = r.space->patience.is_lost;
		space_unref(r.space);
		if (is_lost)
			return;
		p = process_find(&k->tasks, pid);
		if (p && p->tasks && p->tasks->is_leaving)
			return;
	}
}

/* The thread made a child while it was to be detached: so is the child. */
static void release_child(struct keeper *k, struct task *t)
{
	child_event(k, t);
	for (struct process *c = k->tasks.processes; c; c = c->next)
		for (struct task *n = c->tasks; c->space == t->process->space && n;
		     n = n->next)
			n->is_leaving = true;
}

static void detach_one(struct keeper *k, struct task *t, int sig)
{
	struct process *p = t->process;

	if (p->space->detours && p->space->detours->is_installed)
		thread_slots_clear_base(t->tid);
	task_block_trap_again(t);
	pt_detach(t->tid, sig);
	task_remove(&k->tasks, t);
	if (!p->ntasks)
		process_remove(&k->tasks, p);
}

void detach_late(struct keeper *k, struct task *t, int status)
{
	struct space *s = t->process->space;
	int event = status >> 16, sig = 0;

	if (t->process->role == ROLE_FORKED) {
		child_first_stop(k, t, status);
		return;
	}
	if (event == PT_EVENT_EXEC) {
		/* Its other threads and its old memory have gone. */
		pt_detach(t->tid, 0);
		process_remove(&k->tasks, t->process);
		return;
	}
	if (event == PT_EVENT_FORK || event == PT_EVENT_CLONE ||
	    event == PT_EVENT_VFORK)
		release_child(k, t);
	if (!s->patience.is_lost && stopped_settle(k, t, status, &sig) == STATUS_BUSY) {
		pt_cont(t->tid, 0);
		return;
	}
	if (s->patience.is_lost) {
		lost_thread_detach(k, t, status);
		return;
	}
	if (s->mappings.len && !may_run_inside(k, s, t)) {
		if (event != PT_EVENT_STOP) {
			pt_interrupt(t->tid);
			pt_cont(t->tid, sig);
			return;
		}
		unmap(k, s, t);
	}
	detach_one(k, t, sig);
}

void detach_hurry(struct keeper *k)
{
	if (k->waits.hurry)
		return;
	k->hurry = deadline_in(HURRY_MS);
	k->waits.hurry = &k->hurry;
}

/*
 * A process that is here again after it was to be detached would be for ever: it is
 * abandoned instead.
 */
static bool is_stuck(struct keeper *k, struct process *p, int *last)
{
	if (p->pid == *last)
		p->space->patience.is_lost = k->waits.has_lost = true;
	*last = p->pid;
	return p->space->patience.is_lost;
}

void detach_each(struct keeper *k, bool but_created)
{
	struct process *p = k->tasks.processes;
	int last = 0;

	/* One call may remove several processes: start again at the first. */
	while (p) {
		bool is_late = (p->is_created && but_created) ||
			       (p->tasks && p->tasks->is_leaving) ||
			       is_stuck(k, p, &last);

		if (!is_late)
			detach_process(k, p);
		p = is_late ? p->next : k->tasks.processes;
	}
}

void detach_all(struct keeper *k)
{
	k->is_releasing = true;
	detach_hurry(k);
	for (struct process *p = k->tasks.processes; p; p = p->next)
		if (p->is_created)
			kill(p->pid, SIGKILL);
	detach_each(k, true);
}
