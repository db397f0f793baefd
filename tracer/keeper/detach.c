/* SPDX-License-Identifier: MIT */
/*
 *	interrupt all --> collect: each in PTRACE_EVENT_STOP, at an original
 *	address --> bytes back --> scratch unmapped --> detach all
 *
 * A signal stop on the way is passed on: the interrupt stays pending, so the
 * thread gets its signal (a handler's frame) and stops again before it runs.
 */
#include "tracer/keeper/detach.h"
#include "tracer/keeper/handle.h"
#include "tracer/keeper/leave.h"
#include "tracer/keeper/quiesce.h"
#include "tracer/keeper/rescue.h"
#include "tracer/keeper/scratch.h"
#include "vm/base/host/vec.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define COLLECT_MS 1500
#define GLANCE_MS  20 /* after that, what a thread is waiting for is looked at */

struct release {
	struct keeper *k;
	struct space *space;
	uint64_t deadline;
	struct {
		int *data;
		size_t len, cap;
	} stopped; /* tids that may be detached */
};

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

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

/* All get their interrupt first, so that they stop at the same time. */
static void interrupt_all(const struct release *r)
{
	for (struct process *p = r->k->tasks.processes; p; p = p->next) {
		if (p->space != r->space)
			continue;
		for (struct task *t = p->tasks; t; t = t->next) {
			if (t->state == TASK_NEW || t->is_leaving)
				continue; /* it stops by itself */
			pt_interrupt(t->tid);
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

	if (handle_settle(k, t, status, &sig) < 0)
		return;
	pt_interrupt(t->tid);
	pt_cont(t->tid, sig);
}

/* One stop on the way. True when the thread needs no more waiting for. */
static bool take_stop(struct release *r, struct task *t, int status)
{
	int sig, result;

	t->status = status;
	switch (status >> 16) {
	case PT_EVENT_VFORK:
		/* It sleeps until its child executes: this stop will do. */
		handle_child(r->k, t);
		handle_settle(r->k, t, status, &sig);
		note_stopped(r, t);
		return true;
	case PT_EVENT_FORK:
	case PT_EVENT_CLONE:
		handle_child(r->k, t);
		pt_cont(t->tid, 0);
		return false;
	case PT_EVENT_EXEC:
		handle_exec(r->k, t);
		return true;
	case PT_EVENT_STOP:
		if (t->process->role == ROLE_FORKED) {
			handle_first(r->k, t, status);
			return true;
		}
		result = handle_settle(r->k, t, status, &sig);
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
	for (;;) {
		uint64_t now = now_ms();
		unsigned left = now < r->deadline ? (unsigned)(r->deadline - now) : 1;
		unsigned wait = left < GLANCE_MS ? left : GLANCE_MS;
		int status, result;

		result = stops_wait_tid(&r->k->stops, t->tid, wait, &status);
		if (result == STATUS_BUSY && rescue_is_stranded(r->k, t, &status)) {
			if (now < r->deadline && !take_stop(r, t, status))
				continue; /* a request failed: it is made again */
			if (t->state != TASK_STOPPED && now >= r->deadline)
				note_stopped(r, t);
			return;
		}
		if (result == STATUS_BUSY && wait < left && !procfs_in_vfork(t->tid)) {
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

static void collect(struct release *r)
{
	struct task *t;

	r->deadline = now_ms() + COLLECT_MS;
	interrupt_all(r);
	while ((t = find_in_state(r, 1u << TASK_RUNNING | 1u << TASK_NEW)))
		collect_one(r, t);
}

/* It sleeps in the kernel: "number arguments sp pc"; or it runs: anywhere. */
static bool may_be_inside(const struct release *r, const struct task *t)
{
	char line[256], *pc, *sp;

	if (procfs_line(t->tid, "syscall", line, sizeof(line)) < 0 ||
	    !(pc = strrchr(line, ' ')))
		return true;
	*pc = '\0';
	sp = strrchr(line, ' ');
	return !sp || leave_where(r->space, strtoull(pc + 1, NULL, 16),
				  strtoull(sp + 1, NULL, 16)) >= WHERE_COPY_BEFORE;
}

/* Whether a thread that could not be stopped may yet run in memory of ours. */
static bool may_run_inside(const struct release *r)
{
	for (struct process *p = r->k->tasks.processes; p; p = p->next) {
		if (p->space != r->space)
			continue;
		for (struct task *t = p->tasks; t; t = t->next)
			if (t->is_leaving && may_be_inside(r, t))
				return true;
	}
	return false;
}

/* A stopped thread that can make calls for us, or NULL. */
static struct task *find_caller(const struct release *r)
{
	for (size_t i = 0; i < r->stopped.len; i++) {
		struct task *t = task_find(&r->k->tasks, r->stopped.data[i]);

		if (t && t->status >> 16 == PT_EVENT_STOP)
			return t;
	}
	return NULL;
}

static bool has_mappings(const struct space *s)
{
	return s->arenas.len || (s->hooks && s->hooks->mappings.len);
}

static void forget_sites(struct space *s)
{
	for (size_t i = 0; i < s->sites.len; i++)
		s->sites.data[i].is_set = false;
	s->nset = 0;
	for (size_t i = 0; s->hooks && i < s->hooks->list.len; i++)
		if (s->hooks->list.data[i].is_on)
			hooks_turn_off(s->hooks, &s->hooks->list.data[i]);
}

/* A process whose seccomp filter came later keeps what is mapped, unused. */
static void undo(struct release *r)
{
	struct task *caller = find_caller(r);
	struct remote remote = {0};
	struct journal_entry entry;
	bool can_call = caller && has_mappings(r->space) && !may_run_inside(r) &&
			remote_begin(&remote, &r->k->stops, caller) == 0;
	int tid = r->stopped.len ? r->stopped.data[0] : 0;

	while (journal_pop(&r->space->journal, &entry)) {
		if (entry.kind == JOURNAL_MAPPED && can_call)
			scratch_unmap(&remote, entry.a, entry.b);
		else if (entry.kind == JOURNAL_BYTES)
			bpt_restore(r->space, tid, r->space->mem);
		else if (entry.kind == JOURNAL_JUMPS)
			hooks_restore(r->space->hooks, r->space->mem);
	}
	forget_sites(r->space);
	if (can_call)
		remote_end(&remote, &caller->status);
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

static void let_go(struct release *r)
{
	struct task *t;

	for (size_t i = 0; i < r->stopped.len; i++) {
		t = task_find(&r->k->tasks, r->stopped.data[i]);
		/* A thread that is new has its creator's, without an area. */
		if (t && r->space->hooks && r->space->hooks->is_installed)
			slots_clear_base(t);
		pt_detach(r->stopped.data[i], 0);
	}
	while ((t = find_in_state(r, 1u << TASK_STOPPED)))
		task_remove(&r->k->tasks, t);
	forget_empty(r->k, r->space);
}

void detach_process(struct keeper *k, struct process *p)
{
	int pid = p->pid;

	/* It may execute meanwhile: then the new image is released as well. */
	for (int turns = 0; p && turns < 3; turns++) {
		struct release r = {.k = k, .space = p->space};

		r.space->refs++;
		collect(&r);
		undo(&r);
		let_go(&r);
		vec_release(&r.stopped);
		space_unref(r.space);
		p = process_find(&k->tasks, pid);
		if (p && p->tasks && p->tasks->is_leaving)
			return;
	}
}

void detach_late(struct keeper *k, struct task *t, int status)
{
	struct process *p = t->process;
	int event = status >> 16, sig = 0;

	if (p->role == ROLE_FORKED) {
		handle_first(k, t, status);
		return;
	}
	if (event == PT_EVENT_FORK || event == PT_EVENT_CLONE ||
	    event == PT_EVENT_VFORK) {
		handle_child(k, t);
		for (struct process *c = k->tasks.processes; c; c = c->next)
			for (struct task *n = c->tasks; c->space == p->space && n;
			     n = n->next)
				n->is_leaving = true;
	}
	if (event != PT_EVENT_EXEC &&
	    handle_settle(k, t, status, &sig) == STATUS_BUSY) {
		pt_cont(t->tid, 0);
		return;
	}
	if (event != PT_EVENT_EXEC && p->space->hooks && p->space->hooks->is_installed)
		slots_clear_base(t);
	pt_detach(t->tid, sig);
	task_remove(&k->tasks, t);
	if (!p->ntasks)
		process_remove(&k->tasks, p);
}

void detach_all(struct keeper *k)
{
	struct process *p, *next;

	k->is_releasing = true;
	for (p = k->tasks.processes; p; p = p->next)
		if (p->is_created)
			kill(p->pid, SIGKILL);
	/* Releasing one may remove those that share its memory: begin anew. */
	for (p = k->tasks.processes; p; p = next) {
		if (p->is_created || (p->tasks && p->tasks->is_leaving)) {
			next = p->next;
			continue;
		}
		detach_process(k, p);
		next = k->tasks.processes;
	}
}
