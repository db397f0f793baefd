/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/threads/event.h"
#include "tracer/keeper/os/link.h"
#include "vm/base/str.h"

static void send_event(struct keeper *k, const struct keeper_msg *m, int pass)
{
	if (link_send(k->link, m, pass) < 0)
		k->is_over = true;
}

void event_image(struct keeper *k, struct task *task, enum keeper_msg_type type,
		 int family)
{
	struct process *p = task->process;
	const struct keeper_msg m = {
		.type = type, .pid = p->pid, .tid = task->tid, .image.family = family};

	task->state = TASK_HELD;
	task->held_at.v = 0;
	p->held = task;
	send_event(k, &m, p->space->mem);
}

void event_hold(struct keeper *k, struct task *task, taddr at)
{
	struct process *p = task->process;
	const struct keeper_msg m = {.type = KEEPER_EV_HOLD,
				     .pid = p->pid,
				     .tid = task->tid,
				     .hold.addr = at};

	p->held = task;
	send_event(k, &m, -1);
}

void event_exit(struct keeper *k, const struct process *p, int tid, int wait_status)
{
	const struct keeper_msg m = {.type = KEEPER_EV_EXIT,
				     .pid = p->pid,
				     .tid = tid,
				     .exit.wait_status = wait_status};

	send_event(k, &m, -1);
}

void event_lost(struct keeper *k, const struct process *p, int tid, const char *why)
{
	struct keeper_msg m = {.type = KEEPER_EV_LOST, .pid = p->pid, .tid = tid};

	str_copy(m.text, sizeof(m.text), why);
	send_event(k, &m, -1);
}

void event_domain(struct keeper *k, const struct process *p, uint32_t n,
		  const char *word)
{
	struct keeper_msg m = {
		.type = KEEPER_EV_DOMAIN, .pid = p->pid, .domain.nsites = n};

	str_copy(m.text, sizeof(m.text), word);
	send_event(k, &m, -1);
}
