/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/sites/trap_prepare.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/threads/all_stop.h"
#include "tracer/keeper/threads/thread_stop.h"

#include <signal.h>

static bool has_blocked_trap(const struct process *p)
{
	struct procfs_status st;

	for (const struct task *t = p->tasks; t; t = t->next)
		if (procfs_status(t->tid, &st) == 0 && st.blocked & pt_mask_of(SIGTRAP))
			return true;
	return false;
}

/* Threads that do not block it yet, and will, are seen to in hits (threads/hit.c). */
static void unblock_all(struct keeper *k, struct task *self)
{
	struct all_stop all;

	if (!has_blocked_trap(self->process) ||
	    all_stop_begin(&all, k, self, self->process->space) < 0)
		return;
	for (size_t i = 0; i < all.threads.len; i++) {
		const struct all_stop_thread *t = &all.threads.data[i];
		struct task *task = t->tid ? task_find(&k->tasks, t->tid) : NULL;

		if (task && !t->is_asleep)
			task_unblock_trap(task);
	}
	all_stop_end(&all);
}

static int install(struct keeper *k, struct thread_stop *q,
		   const struct undo_need *need)
{
	struct space *s = q->task->process->space;
	struct remote_call r;
	const struct injection in = {&r, q->task->process, &k->program, NULL};
	int status = remote_call_begin(&r, &k->waits, q->task, s->mem), end;

	if (status) {
		s->undo_log.is_refused = status != STATUS_GONE;
		return status;
	}
	status = trap_handler_install(&in, need);
	end = remote_call_end(&r, &q->status);
	return end ? end : status;
}

int trap_prepare(struct keeper *k, struct process *p, const struct undo_need *need)
{
	struct space *s = p->space;
	struct thread_stop q;
	bool is_first = !s->undo_log.head;
	int status;

	s->undo_log.is_refused |= p->is_created;
	if (!trap_handler_is_needed(s, need))
		return 0;
	status = thread_stop_begin(k, p, &q);
	if (status < 0)
		return status;
	if (q.task->process->space != s) { /* it has called exec */
		thread_stop_end(k, &q);
		return STATUS_GONE;
	}
	status = install(k, &q, need);
	if (!status && is_first)
		unblock_all(k, q.task);
	if (status != STATUS_GONE)
		thread_stop_end(k, &q);
	return status;
}
