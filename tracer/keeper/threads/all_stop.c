/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/threads/all_stop.h"
#include "tracer/keeper/threads/child.h"
#include "tracer/keeper/os/deadline.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/os/stop.h"
#include "vm/base/host/vec.h"

#include <signal.h>

#define FIRST_MS 20 /* before it is checked whether a thread sleeps */
#define ALL_MS	 2000

static bool is_asleep(struct all_stop_thread *t)
{
	struct procfs_syscall call;
	struct procfs_status st;

	if (procfs_status(t->tid, &st) < 0 || st.state != 'D' ||
	    procfs_syscall(t->tid, &call) < 0 || procfs_may_make_child(t->tid))
		return false;
	t->pc = call.pc;
	t->sp = call.sp;
	t->is_asleep = true;
	return true;
}

static bool can_stop(const struct task *t)
{
	return t->state == TASK_RUNNING || t->state == TASK_LISTENING;
}

static void list_threads(struct all_stop *s, const struct task *self)
{
	for (struct process *p = s->k->tasks.processes; p; p = p->next) {
		if (p->space != s->space || p->role == ROLE_FORKED)
			continue;
		for (struct task *t = p->tasks; t; t = t->next) {
			struct all_stop_thread *one;

			/* A new thread has run no instruction yet. */
			if (t->state == TASK_NEW)
				continue;
			if (t != self && can_stop(t))
				task_interrupt(t);
			one = vec_push(&s->threads);
			*one = (struct all_stop_thread){.tid = t->tid};
			if (t == self || !can_stop(t))
				one->status = -1; /* stopped for other reasons */
		}
	}
}

/* The thread called exec and no longer shares this address space. */
static int leave_memory(struct all_stop *s, struct all_stop_thread *t)
{
	const struct task *task = task_find(&s->k->tasks, t->tid);

	if (!task || task->process->role == ROLE_TRACED)
		return STATUS_BUSY;
	wait_queue_keep(&s->k->waits, t->tid, t->status);
	t->tid = 0;
	return 0;
}

/* STATUS_BUSY: it neither stops nor sleeps, or the address space is about to go. */
static int reach(struct all_stop *s, struct all_stop_thread *t,
		 struct deadline *deadline)
{
	int status = wait_queue_wait_tid(&s->k->waits, t->tid, FIRST_MS, &t->status);

	while (status == STATUS_BUSY && !is_asleep(t)) {
		if (!deadline_left(deadline))
			return STATUS_BUSY;
		status =
			wait_queue_wait_tid(&s->k->waits, t->tid, FIRST_MS, &t->status);
	}
	if (t->is_asleep)
		return 0;
	if (status == STATUS_GONE) {
		t->tid = 0;
		return 0;
	}
	return t->status >> 16 == PT_EVENT_EXEC ? leave_memory(s, t) : 0;
}

/*
 * waitpid has consumed a breakpoint's trap: if we were killed now, the thread would go on
 * inside the instruction. So its pc goes back to the breakpoint, which it hits again.
 */
static void take_back_hit(const struct space *s, struct all_stop_thread *t)
{
	struct space_place place = space_where(s, t->pc, t->sp);
	siginfo_t info;

	if (t->status != (SIGTRAP << 8 | 0x7f) ||
	    (place.where != WHERE_TRAPPED && place.where != WHERE_AMBIGUOUS) ||
	    pt_siginfo(t->tid, &info) < 0 || info.si_code != SI_KERNEL ||
	    pt_set_pc(t->tid, place.site->in.addr) < 0)
		return;
	t->pc = place.site->in.addr;
	t->status = (PT_EVENT_STOP << 8 | SIGTRAP) << 8 | 0x7f;
}

static int get_regs(const struct space *s, struct all_stop_thread *t)
{
	struct regs regs;

	if (!t->tid || t->is_asleep)
		return 0;
	if (pt_regs(t->tid, &regs) < 0) {
		t->pc = t->sp =
			taddr_of(0); /* it is dying, and runs no more instructions */
		return 0;
	}
	t->pc = taddr_of(regs_pc(&regs));
	t->sp = taddr_of(regs_sp(&regs));
	take_back_hit(s, t);
	return 0;
}

/* Children have copies of what is about to change. */
static void meet_children(const struct all_stop *s)
{
	for (size_t i = 0; i < s->threads.len; i++) {
		const struct all_stop_thread *t = &s->threads.data[i];
		struct task *task = t->tid && !t->is_asleep && t->status != -1 &&
						    stop_tells_of_child(t->status)
					    ? task_find(&s->k->tasks, t->tid)
					    : NULL;

		if (task)
			child_meet(s->k, task);
	}
}

int all_stop_begin(struct all_stop *s, struct keeper *k, struct task *self,
		   struct space *space)
{
	struct deadline deadline = deadline_in(ALL_MS);
	int status = 0;

	*s = (struct all_stop){.k = k, .space = space};
	list_threads(s, self);
	for (size_t i = 0; i < s->threads.len; i++) {
		struct all_stop_thread *t = &s->threads.data[i];
		int result = t->status == -1 ? 0 : reach(s, t, &deadline);

		if (result < 0) {
			status = result;
			if (!t->status)
				t->tid = 0; /* it will stop, and is handled then */
		} else {
			get_regs(space, t);
		}
	}
	if (status < 0)
		all_stop_end(s);
	else
		meet_children(s);
	return status;
}

void all_stop_end(struct all_stop *s)
{
	for (size_t i = 0; i < s->threads.len; i++) {
		const struct all_stop_thread *t = &s->threads.data[i];

		if (t->tid && !t->is_asleep && t->status != -1)
			wait_queue_keep(&s->k->waits, t->tid, t->status);
	}
	vec_release(&s->threads);
}
