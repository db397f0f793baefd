/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/threads/abandon.h"
#include "tracer/keeper/threads/consumed_stop.h"
#include "tracer/keeper/threads/detach.h"
#include "tracer/keeper/threads/event.h"
#include "tracer/keeper/os/deadline.h"
#include "tracer/keeper/os/ptrace.h"
#include "vm/base/host/vec.h"

#include <stdio.h>

#define COLLECT_MS 200
#define GLANCE_MS  10

struct tids {
	int *data;
	size_t len, cap;
};

static void report(struct keeper *k, const struct process *p)
{
	struct procfs_status st;
	char why[KEEPER_TEXT_MAX];

	if (p->role != ROLE_TRACED)
		return;
	if (procfs_status(p->pid, &st) < 0)
		snprintf(st.name, sizeof(st.name), "?");
	snprintf(why, sizeof(why),
		 "(%s) is left to itself: a thread does not come out of the tracer's "
		 "code within %d s",
		 st.name, PATIENCE_MS / 1000);
	event_lost(k, p, p->pid, why);
}

/* All its threads are to be detached at their next stop, which is asked for. */
static void begin(struct keeper *k, struct space *space, struct tids *tids)
{
	for (struct process *p = k->tasks.processes; p; p = p->next) {
		if (p->space != space)
			continue;
		p->is_created = false;
		if (p->tasks && !p->tasks->is_leaving)
			report(k, p);
		for (struct task *t = p->tasks; t; t = t->next) {
			t->is_leaving = true;
			*vec_push(tids) = t->tid;
			if (t->state != TASK_NEW)
				pt_interrupt(t->tid);
		}
	}
}

/* The others are detached by detach_late() when they stop. */
static void collect(struct keeper *k, const struct tids *tids)
{
	struct deadline deadline = deadline_in(COLLECT_MS);

	for (size_t i = 0; i < tids->len; i++) {
		struct task *t = task_find(&k->tasks, tids->data[i]);
		unsigned ms = deadline_left(&deadline) ? GLANCE_MS : 0;
		int status;

		if (t && (consumed_stop_status(k, t, &status) ||
			  wait_queue_wait_tid(&k->waits, t->tid, ms, &status) == 0))
			detach_late(k, t, status);
	}
}

static void abandon(struct keeper *k, struct space *space)
{
	struct tids tids = {0};

	space_ref(space);
	begin(k, space, &tids);
	space_restore(space, tids.len ? tids.data[0] : 0, space->mem);
	semaphores_lower(&space->semaphores, space->mem);
	collect(k, &tids);
	vec_release(&tids);
	space_unref(space);
}

static struct space *find_lost(const struct keeper *k)
{
	for (const struct process *p = k->tasks.processes; p; p = p->next)
		if (p->space->patience.is_lost && p->tasks && !p->tasks->is_leaving)
			return p->space;
	return NULL;
}

void abandon_lost(struct keeper *k)
{
	struct space *space;

	if (!k->waits.has_lost)
		return;
	k->waits.has_lost = false;
	while ((space = find_lost(k)))
		abandon(k, space);
}
