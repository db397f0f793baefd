/* SPDX-License-Identifier: MIT */
/*
 * Threads that wait until the front has read what the keeper has recorded (STATE_WAIT):
 * at a site before its probes fire, at a system call after that. Such a thread is
 * TASK_HELD, with task.waits_since. The keeper does not wait: it serves others, and looks
 * now and then.
 */
#ifndef TRACER_KEEPER_FIRE_ROOM_H
#define TRACER_KEEPER_FIRE_ROOM_H

#include "tracer/keeper/os/wait_queue.h"
#include "tracer/keeper/space/keeper_program.h"
#include "tracer/keeper/space/task.h"

struct room {
	const struct keeper_program *program; /* borrowed, as the others */
	struct tasks *tasks;
	struct wait_queue *waits;
	bool has_waiting; /* some thread may wait */
};

/* Whether a thread of the process that records something is to wait. */
bool room_is_wanted(const struct room *r, const struct process *p);
/*
 * The thread, which is stopped, waits. Then it goes on at the pc (0: where it is), and
 * hits the breakpoint there again.
 */
void room_hold(struct room *r, struct task *task, taddr pc);
/* Lets threads go on that have waited. True: some wait still. */
bool room_turn(struct room *r);
/* The thread waits no longer, whatever lets it go on. */
void room_leave(struct task *task);

#endif
