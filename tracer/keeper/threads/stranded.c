/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/threads/stranded.h"
#include "tracer/keeper/threads/detach.h"
#include "tracer/keeper/threads/handle.h"
#include "tracer/keeper/os/link.h"
#include "tracer/keeper/os/mem.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define TRIES_MAX 3

static int as_status(int code)
{
	return code << 8 | 0x7f; /* as waitpid(2) has it */
}

/*
 * A trap of ours whose pc has been moved already: to be passed on by nobody. The
 * program's own int3 stands before its pc.
 */
static bool is_spent_trap(const struct task *task, const siginfo_t *info)
{
	const struct space *s = task->process->space;
	struct space_place place;
	struct regs regs;
	uint8_t byte = 0;

	if (info->si_code == TRAP_TRACE)
		return true;
	if (info->si_code != SI_KERNEL || pt_regs(task->tid, &regs) < 0)
		return false;
	place = task_place(task, &regs);
	if (place.site)
		return place.site->in.addr.v + 1 != regs_pc(&regs);
	return mem_read(s->mem, regs_pc(&regs) - 1, &byte, 1) < 0 || byte != BPT_BYTE;
}

/* What the thread is stopped for, from its siginfo: events have theirs too. */
static int current_stop(const struct task *task, int *status)
{
	siginfo_t info;
	bool is_event, is_trap;

	if (pt_siginfo(task->tid, &info) < 0 && pt_siginfo(task->tid, &info) < 0)
		return STATUS_GONE;
	is_event = info.si_code > 0xff && (info.si_code & 0x7f) == info.si_signo;
	is_trap = info.si_signo == SIGTRAP && !is_event;
	if (is_event || (is_trap && info.si_code == PT_SYSCALL_STOP))
		*status = as_status(info.si_code);
	else if (is_trap && is_spent_trap(task, &info))
		*status = as_status(PT_EVENT_STOP << 8 | SIGTRAP);
	else
		*status = as_status(info.si_signo);
	return 0;
}

bool stranded_has(const struct keeper *k, const struct task *task, int *status)
{
	siginfo_t news = {0};

	if (wait_queue_has(&k->waits, task->tid) || procfs_state(task->tid) != 't' ||
	    waitid(P_PID, (id_t)task->tid, &news,
		   WSTOPPED | WEXITED | WNOHANG | WNOWAIT | __WALL) < 0 ||
	    news.si_pid)
		return false;
	return current_stop(task, status) == 0;
}

static void tell(struct keeper *k, const struct space *s,
		 const struct pt_failure *failure)
{
	for (struct process *p = k->tasks.processes; p; p = p->next) {
		struct keeper_msg m = {
			.type = KEEPER_EV_LOST, .pid = p->pid, .tid = failure->tid};

		if (p->space != s || p->role != ROLE_TRACED)
			continue;
		snprintf(m.text, sizeof(m.text),
			 "cannot be traced any more: %s failed: %s", failure->request,
			 strerror(failure->error));
		if (link_send(k->link, &m, -1) < 0)
			k->is_over = true;
	}
}

/* It was on its way out anyhow: that once more, and in the end without care. */
static void free_again(struct keeper *k, struct task *task, int status)
{
	if (++task->rescues < TRIES_MAX) {
		wait_queue_keep(&k->waits, task->tid, status);
		return;
	}
	pt_detach(task->tid, 0);
	task_remove(&k->tasks, task);
}

static void rescue_one(struct keeper *k, struct task *task,
		       const struct pt_failure *failure)
{
	struct process *p = task->process;
	int status;

	if (!p || task->state == TASK_HELD || task->state == TASK_LISTENING ||
	    !stranded_has(k, task, &status))
		return;
	if (task->is_leaving || p->role == ROLE_FORKED) {
		free_again(k, task, status);
		return;
	}
	tell(k, p->space, failure);
	wait_queue_keep(&k->waits, task->tid, status);
	detach_process(k, p);
}

/* When more failed than is remembered: the first process that one stands still in. */
static struct task *find_stranded(const struct keeper *k)
{
	int status;

	for (struct process *p = k->tasks.processes; p; p = p->next)
		for (struct task *t = p->tasks; t; t = t->next)
			if (t->state != TASK_HELD && t->state != TASK_LISTENING &&
			    stranded_has(k, t, &status))
				return t;
	return NULL;
}

void stranded_recover(struct keeper *k)
{
	struct pt_failure failure;
	struct task *task;

	while (pt_failures_next(&k->failures, &failure)) {
		/* What was handled in part must not be reported once more. */
		if (k->waits.open == failure.tid || !failure.tid)
			wait_queue_close(&k->waits);
		task = failure.tid ? task_find(&k->tasks, failure.tid)
				   : find_stranded(k);

		if (task)
			rescue_one(k, task, &failure);
	}
}
