/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/threads/thread_stop.h"
#include "tracer/keeper/threads/handle.h"

#include <stdlib.h>

/*
 * For all threads together: on a loaded machine a stop takes long. A thread asleep in the
 * kernel costs SLEEPS_MAX glances.
 */
#define ALL_MS	   2000
#define GLANCE_MS  20
#define SLEEPS_MAX 5 /* glances at a thread that sleeps uninterruptibly */

/*
 * A thread that waits for its vfork child does not stop before the child calls exec, and
 * the child may wait for us.
 */
static int wait_awake(struct keeper *k, int tid, unsigned ms, int *status)
{
	int result, sleeps = 0;

	do {
		unsigned part = ms < GLANCE_MS ? ms : GLANCE_MS;

		result = wait_queue_wait_tid(&k->waits, tid, part, status);
		ms -= part;
		if (result == STATUS_BUSY && procfs_state(tid) == 'D')
			sleeps++;
	} while (result == STATUS_BUSY && ms && sleeps < SLEEPS_MAX &&
		 !procfs_in_vfork(tid));
	return result;
}

/*
 * Waits until the thread, which was interrupted, reaches its PTRACE_EVENT_STOP. Other
 * stops on the way are handled.
 */
static int reach(struct keeper *k, int tid, unsigned ms, int *status)
{
	struct task *task;

	for (;;) {
		int result = wait_awake(k, tid, ms / 2, status);

		/* The interrupt may not have reached it. */
		if (result == STATUS_BUSY && pt_interrupt(tid) == 0)
			result = wait_awake(k, tid, ms / 2, status);
		if (result < 0)
			return result;
		if (*status >> 16 == PT_EVENT_STOP)
			return 0;
		handle_stop(k, tid, *status);
		task = task_find(&k->tasks, tid);
		if (!task || wait_queue_is_lost(&k->waits, tid))
			return STATUS_GONE;
		/*
		 * Any other stop consumes the interrupt (ptrace_stop() in the kernel's
		 * signal.c).
		 */
		task_interrupt(task);
		/* It is held now: it goes on to the interrupt, and runs nothing. */
		if (task->state == TASK_HELD)
			pt_cont(tid, 0);
	}
}

/* From the stop of a held thread to the next, without a user instruction. */
static int from_held(struct keeper *k, struct task *task, struct thread_stop *q)
{
	int status = 0;

	q->task = task;
	q->status = task->status;
	if (task->status >> 16 == PT_EVENT_STOP)
		return 0;
	status = task_interrupt(task);
	if (!status)
		status = pt_cont(task->tid, 0);
	if (!status)
		status = reach(k, task->tid, ALL_MS, &q->status);
	if (!status)
		task->status = q->status;
	return status;
}

static int from_running(struct keeper *k, struct task *task, struct thread_stop *q)
{
	int tid = task->tid, status = task_interrupt(task);

	if (!status)
		status = reach(k, tid, ALL_MS, &q->status);
	q->task = task_find(&k->tasks, tid);
	if (!status && q->task)
		q->task->status = q->status;
	return status;
}

int thread_stop_begin(struct keeper *k, struct process *p, struct thread_stop *q)
{
	struct deadline all = deadline_in(ALL_MS);
	int *tids, status = STATUS_GONE;
	uint32_t n = 0;

	for (struct task *t = p->tasks; t; t = t->next)
		if (t->state == TASK_HELD)
			return from_held(k, t, q);
	/* The list changes while stops are handled. */
	tids = calloc(p->ntasks + 1u, sizeof(*tids));
	if (!tids)
		return STATUS_NOMEM;
	for (struct task *t = p->tasks; t; t = t->next)
		if (t->state == TASK_RUNNING || t->state == TASK_LISTENING)
			tids[n++] = t->tid;
	for (uint32_t i = 0; i < n && deadline_left(&all); i++) {
		struct task *t = task_find(&k->tasks, tids[i]);

		if (t)
			status = from_running(k, t, q);
		if (!status)
			break;
	}
	free(tids);
	return status;
}

int thread_stop_end(struct keeper *k, struct thread_stop *q)
{
	handle_stop(k, q->task->tid, q->status);
	return 0;
}
