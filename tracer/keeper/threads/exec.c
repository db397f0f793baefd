/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/threads/exec.h"
#include "tracer/keeper/os/elf.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/space/space.h"
#include "tracer/keeper/threads/child.h"
#include "tracer/keeper/threads/event.h"
#include "tracer/keeper/threads/privileged_exec.h"

static void lose(struct keeper *k, struct task *task, const char *why)
{
	event_lost(k, task->process, task->process->pid, why);
	pt_detach(task->tid, 0);
	process_remove(&k->tasks, task->process);
}

/* It is in the stop of its exec no more. */
static bool is_killed(const struct task *task)
{
	unsigned long message;

	return pt_event_message(task->tid, &message) == STATUS_GONE;
}

/*
 * The thread that called exec has the leader's tid now. The other threads have gone, and
 * no stop reports that (ptrace(2), "execve(2) under ptrace").
 */
static void drop_other_tasks(struct keeper *k, struct process *p, int tid)
{
	struct task *next;

	for (struct task *t = p->tasks; t; t = next) {
		next = t->next;
		if (t->tid == tid)
			continue;
		task_drop_slot(&k->tasks, t);
		if (k->program.state)
			state_forget_thread(k->program.state, k->program.image,
					    STATE_SLOT_KEEPER, t->identity);
		task_remove(&k->tasks, t);
	}
}

/* The front hears of a followed child that shared its parent's memory only now. */
static void announce(struct keeper *k, struct task *task)
{
	struct process *p = task->process;
	int family = p->role == ROLE_SHARER ? p->space->family : 0;

	p->role = ROLE_TRACED;
	event_image(k, task, KEEPER_EV_EXEC, family);
}

void exec_event(struct keeper *k, struct task *task)
{
	struct process *p = task->process;
	int tid = task->tid;

	drop_other_tasks(k, p, tid);
	child_adopt_untold(k, p);
	task_drop_slot(&k->tasks, task);
	if (!process_is_observed(p) || (p->role == ROLE_SHARER && k->is_releasing)) {
		pt_detach(task->tid, 0);
		process_remove(&k->tasks, p);
		return;
	}
	task->fired.at.v = 0;
	task->is_ending = false; /* the thread that ended had this tid before */
	if (!process_new_space(p)) {
		if (is_killed(task))
			return; /* its end is still to come, and is reported then */
		lose(k, task, "the new program's memory cannot be opened");
	} else if (elf_is_32bit(p->pid)) {
		lose(k, task, "it executed a 32-bit program, which cannot be traced");
	} else {
		announce(k, task);
	}
	if (task_find(&k->tasks, tid) == task)
		siteless_exec(&k->siteless, task);
}

bool exec_detach_privileged(struct keeper *k, struct task *task)
{
	struct process *p = task->process;

	/* Other threads, which the exec will end, could not be detached at once. */
	if (!p->has_execs || p->ntasks > 1 || !privileged_exec_by_call(task))
		return false;
	if (p->role == ROLE_TRACED) {
		/* If the exec fails, our memory stays mapped, unused. */
		space_restore(p->space, task->tid, p->space->mem);
		semaphores_lower(&p->space->semaphores, p->space->mem);
		if (p->space->detours)
			thread_slots_clear_base(task->tid);
		event_lost(k, p, p->pid, "executes a program that gains privileges");
	}
	task_drop_slot(&k->tasks, task);
	pt_detach(task->tid, 0);
	process_remove(&k->tasks, p);
	return true;
}
