/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/threads/stranded.h"
#include "tracer/keeper/threads/detach.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/threads/consumed_stop.h"
#include "tracer/keeper/threads/event.h"

#include <stdio.h>
#include <string.h>

#define TRIES_MAX 3

static void report_lost(struct keeper *k, const struct space *s,
			const struct pt_failure *failure)
{
	char why[KEEPER_TEXT_MAX];

	snprintf(why, sizeof(why), "cannot be traced any more: %s failed: %s",
		 failure->request, strerror(failure->error));
	for (struct process *p = k->tasks.processes; p; p = p->next)
		if (p->space == s && p->role == ROLE_TRACED)
			event_lost(k, p, failure->tid, why);
}

/* It was to be detached: tries that again, and at last detaches it where it is. */
static void detach_again(struct keeper *k, struct task *task, int status)
{
	if (++task->recoveries < TRIES_MAX) {
		wait_queue_keep(&k->waits, task->tid, status);
		return;
	}
	pt_detach(task->tid, 0);
	task_remove(&k->tasks, task);
}

static void recover_one(struct keeper *k, struct task *task,
			const struct pt_failure *failure)
{
	struct process *p = task->process;
	int status;

	if (!p || task->state == TASK_HELD || task->state == TASK_LISTENING ||
	    !consumed_stop_status(k, task, &status))
		return;
	if (task->is_leaving || p->role == ROLE_FORKED) {
		detach_again(k, task, status);
		return;
	}
	report_lost(k, p->space, failure);
	wait_queue_keep(&k->waits, task->tid, status);
	detach_process(k, p);
}

/* More requests failed than are remembered: any stranded thread. */
static struct task *find_stranded(const struct keeper *k)
{
	int status;

	for (struct process *p = k->tasks.processes; p; p = p->next)
		for (struct task *t = p->tasks; t; t = t->next)
			if (t->state != TASK_HELD && t->state != TASK_LISTENING &&
			    consumed_stop_status(k, t, &status))
				return t;
	return NULL;
}

void stranded_recover(struct keeper *k)
{
	struct pt_failure failure;
	struct task *task;

	while (pt_failures_next(&k->failures, &failure)) {
		/* A stop that was handled in part must not be reported again. */
		if (k->waits.open == failure.tid || !failure.tid)
			wait_queue_close(&k->waits);
		task = failure.tid ? task_find(&k->tasks, failure.tid)
				   : find_stranded(k);

		if (task)
			recover_one(k, task, &failure);
	}
}
