/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/fire/room.h"
#include "tracer/keeper/fire/fire.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/os/stop.h"
#include "vm/base/host/clock.h"

bool room_is_wanted(const struct room *r, const struct process *p)
{
	const struct state *s = r->program->state;

	return s && p->role == ROLE_TRACED && state_wants_wait(s, STATE_SLOT_KEEPER);
}

void room_hold(struct room *r, struct task *task, taddr pc)
{
	if (pc.v && pt_set_pc(task->tid, pc) < 0)
		return;
	task->state = TASK_HELD;
	task->held_at.v = 0;
	task->waits_since = clock_now_ns();
	r->has_waiting = true;
}

void room_leave(struct task *task)
{
	if (task->waits_since)
		task->process->waited_ns += clock_now_ns() - task->waits_since;
	task->waits_since = 0;
}

/* True: the thread waits still. */
static bool room_look(struct room *r, struct task *task)
{
	const uint64_t ns = clock_now_ns() - task->waits_since;

	if (state_wait_goes_on(r->program->state, STATE_SLOT_KEEPER, ns, fire_wake,
			       NULL))
		return true;
	room_leave(task);
	task->state = TASK_RUNNING;
	if (stop_is_group_stop(task->status)) /* on the way to another stop */
		wait_queue_keep(r->waits, task->tid, task->status);
	else
		task_cont(task, 0);
	return false;
}

bool room_turn(struct room *r)
{
	bool is_any = false;

	if (!r->has_waiting)
		return false;
	for (struct process *p = r->tasks->processes; p; p = p->next)
		for (struct task *t = p->tasks; t; t = t->next)
			if (t->state == TASK_HELD && t->waits_since)
				is_any |= room_look(r, t);
	r->has_waiting = is_any;
	return is_any;
}
