/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/threads/event.h"
#include "tracer/keeper/os/link.h"
#include "tracer/keeper/space/space.h"
#include "vm/base/str.h"

static void send_event(struct keeper *k, const struct keeper_msg *m)
{
	if (link_send(k->link, m, NULL, 0) < 0)
		k->is_over = true;
}

static void send_with_files(struct keeper *k, const struct keeper_msg *m,
			    const int *files, uint32_t n)
{
	if (link_send(k->link, m, files, n) < 0)
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
	send_with_files(k, &m, &p->space->mem, 1);
}

void event_hold(struct keeper *k, struct task *task)
{
	struct process *p = task->process;
	const struct keeper_msg m = {
		.type = KEEPER_EV_HOLD,
		.pid = p->pid,
		.tid = task->tid,
		.hold = {task->held_at, task->mapped, task->maps_often}};

	p->held = task;
	send_event(k, &m);
}

void event_exit(struct keeper *k, const struct process *p, int tid, int wait_status)
{
	const struct keeper_msg m = {.type = KEEPER_EV_EXIT,
				     .pid = p->pid,
				     .tid = tid,
				     .exit.wait_status = wait_status,
				     .exit.cpu_ns = k->waits.ended.pid == p->pid
							    ? k->waits.ended.cpu_ns
							    : 0};

	send_event(k, &m);
}

void event_lost(struct keeper *k, const struct process *p, int tid, const char *why)
{
	struct keeper_msg m = {.type = KEEPER_EV_LOST, .pid = p->pid, .tid = tid};

	str_copy(m.text, sizeof(m.text), why);
	send_event(k, &m);
}

void event_exchange(struct keeper *k, struct process *p)
{
	struct block_view *v = &p->space->detours->state;
	const struct keeper_msg m = {.type = KEEPER_EV_EXCHANGE, .pid = p->pid};

	send_with_files(k, &m, v->files, STATE_EXCHANGE + 1);
	block_view_close(v);
}

void event_domain(struct keeper *k, const struct process *p, uint32_t n,
		  const char *word)
{
	struct keeper_msg m = {
		.type = KEEPER_EV_DOMAIN, .pid = p->pid, .domain.nsites = n};

	str_copy(m.text, sizeof(m.text), word);
	send_event(k, &m);
}

void event_writable(struct keeper *k, const struct process *p, uint32_t ndetours)
{
	const struct keeper_msg m = {
		.type = KEEPER_EV_WRITABLE, .pid = p->pid, .domain.nsites = ndetours};

	send_event(k, &m);
}

void event_busy(struct keeper *k, const struct process *p, uint32_t probe)
{
	const struct keeper_msg m = {
		.type = KEEPER_EV_BUSY, .pid = p->pid, .busy.probe = probe};

	send_event(k, &m);
}

void event_copy(struct keeper *k, const struct task *task,
		const struct keeper_ev_copy *copy, const int *files, uint32_t n)
{
	const struct keeper_msg m = {.type = KEEPER_EV_COPY,
				     .pid = task->process->pid,
				     .tid = task->tid,
				     .copy = *copy};

	send_with_files(k, &m, files, n);
}

void event_no_copy(struct keeper *k, const struct task *task, uint32_t number,
		   const char *why)
{
	struct keeper_msg m = {.type = KEEPER_EV_COPY,
			       .pid = task->process->pid,
			       .tid = task->tid,
			       .copy.number = number};

	str_copy(m.text, sizeof(m.text), why);
	send_event(k, &m);
}

void event_changed(struct keeper *k, const struct process *p)
{
	struct keeper_msg m = {.type = KEEPER_EV_CHANGED, .pid = p->pid};
	struct procfs_maps maps = {0}; /* none: pages are read one by one */

	if (p->role != ROLE_TRACED || p->space->patience.is_lost)
		return;
	procfs_maps(process_living_tid(p), &maps);
	space_find_changed(p->space, &maps, &m.changed);
	procfs_maps_release(&maps);
	if (m.changed.nprobes)
		send_event(k, &m);
}

void event_waited(struct keeper *k, const struct process *p)
{
	const struct keeper_msg m = {
		.type = KEEPER_EV_WAITED, .pid = p->pid, .waited.ns = p->waited_ns};

	if (p->waited_ns)
		send_event(k, &m);
}
