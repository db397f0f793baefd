/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/threads/exit.h"
#include "tracer/keeper/threads/child.h"
#include "tracer/keeper/threads/event.h"
#include "tracer/keeper/threads/hit.h"

void exit_event(struct keeper *k, struct task *task, int status)
{
	struct process *p = task->process;
	int tid = task->tid;

	if (p)
		room_leave(task);
	siteless_gone(&k->siteless, task, status);
	sampler_forget(&k->sampler, task);
	/* Its slot is free before its thread-local variables are freed. */
	task_drop_slot(&k->tasks, task);
	if (k->program.state)
		state_forget_thread(k->program.state, k->program.image,
				    STATE_SLOT_KEEPER, task->identity);
	if (p && task == p->held && p->ntasks > 1) {
		/* Killed while held: the front gets the event of the next one. */
		p->held = NULL;
		task->state = TASK_RUNNING;
		hit_resume_held(k, p);
	}
	task_remove(&k->tasks, task);
	if (!p || p->ntasks)
		return;
	if (p->space->family && !k->is_releasing)
		child_await(k, p->space);
	/* The leader's status is reported last, and is that of the process. */
	if (p->role == ROLE_TRACED) {
		event_waited(k, p);
		event_exit(k, p, tid, status);
	}
	process_keep_recent(&k->tasks, p);
	process_remove(&k->tasks, p);
	child_adopt_orphans(k, false);
}
