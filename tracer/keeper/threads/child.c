/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/threads/child.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/space/remote_call.h"
#include "tracer/keeper/space/return_stub.h"
#include "tracer/keeper/space/space.h"
#include "tracer/keeper/threads/event.h"
#include "tracer/keeper/threads/privileged_exec.h"
#include "tracer/keeper/threads/stopped.h"

#include <linux/sched.h>
#include <string.h>
#include <sys/syscall.h>

#define BIRTH_MS 2000 /* a fork child stops before its first instruction */

/* What the child shares, from /proc: the parent is dying, or moved its arguments. */
static uint64_t likely_flags(const struct task *parent, int child)
{
	struct procfs_status st;

	if (procfs_status(child, &st) == 0 && st.tgid == parent->process->pid)
		return CLONE_VM | CLONE_THREAD;
	return parent->status >> 16 == PT_EVENT_VFORK ? CLONE_VM | CLONE_VFORK : 0;
}

/* What the child shares: the flags of the call that the parent is in. */
static uint64_t clone_flags(const struct task *parent, int child)
{
	struct regs regs;
	uint64_t flags = 0;

	if (pt_regs(parent->tid, &regs) < 0)
		return likely_flags(parent, child);
	switch (regs_syscall(&regs)) {
	case SYS_clone:
		return regs_syscall_arg(&regs, 0);
	case SYS_vfork:
		return CLONE_VM | CLONE_VFORK;
	case SYS_clone3:
		/* The first member of struct clone_args. */
		return mem_read(parent->process->space->mem,
				taddr_of(regs_syscall_arg(&regs, 0)), &flags,
				sizeof(flags)) < 0
			       ? likely_flags(parent, child)
			       : flags;
	default:
		return 0;
	}
}

static struct process *process_of_child(struct keeper *k, struct task *parent,
					int child)
{
	uint64_t flags = clone_flags(parent, child);
	enum process_role role = flags & CLONE_VM ? ROLE_SHARER : ROLE_FORKED;
	struct process *p;

	if (flags & CLONE_THREAD)
		return parent->process;
	p = process_add(&k->tasks, child, role, space_ref(parent->process->space));
	k->nchildren += p->space->family == 0;
	p->has_execs = role == ROLE_SHARER && privileged_exec_is_lost();
	p->ignores_trap = parent->process->ignores_trap;
	siteless_watch(&k->siteless, p);
	return p;
}

static void tell_of_child(struct keeper *k, struct task *parent, int tid)
{
	const uint64_t args[2] = {(uint64_t)tid, (uint64_t)parent->process->pid};

	if (clone_flags(parent, tid) & CLONE_THREAD)
		siteless_proc(&k->siteless, parent, KEEPER_PROC_LWP_CREATE, args, 2);
	else
		siteless_proc(&k->siteless, parent, KEEPER_PROC_CREATE, args, 1);
}

void child_event(struct keeper *k, struct task *parent)
{
	unsigned long message;
	struct task *child;
	int tid;

	if (pt_event_message(parent->tid, &message) < 0 &&
	    pt_event_message(parent->tid, &message) < 0)
		return;
	tid = (int)message;
	cpu_note_child(&k->cpu, parent->tid, tid);
	tell_of_child(k, parent, tid);
	/*
	 * It may sleep until its child calls exec, and must not do so in memory of
	 * ours.
	 */
	stopped_leave_copy(parent);
	child = task_find(&k->tasks, tid);
	if (child && child->process)
		return; /* found while we attached */
	if (!child) {
		child = task_add(&k->tasks, process_of_child(k, parent, tid), tid,
				 TASK_NEW);
		child->is_born = true;
		return;
	}
	child->is_born = true;
	task_adopt(&k->tasks, child, process_of_child(k, parent, tid));
	wait_queue_keep(&k->waits, tid, child->status);
}

/*
 * Whether the child has our memory at lo. It may have been forked before that was mapped,
 * when the process had another mapping there.
 */
static bool is_ours(const struct procfs_maps *maps, uint64_t lo)
{
	const struct procfs_area *a = procfs_maps_find(maps, taddr_of(lo));

	if (!a || a->kind != AREA_PLAIN)
		return false;
	return a->is_file ? a->is_shared : a->is_executable && !a->is_shared;
}

void child_unmap_copied(struct remote_call *r, const struct space *s)
{
	struct procfs_maps maps = {0};

	if (procfs_maps(r->tid, &maps) < 0 && procfs_maps(r->tid, &maps) < 0)
		return;
	for (size_t i = 0; i < s->xol.len; i++)
		if (is_ours(&maps, s->xol.data[i].lo.v))
			remote_call_unmap(r, s->xol.data[i].lo, s->xol.data[i].size);
	for (size_t i = 0; s->detours && i < s->detours->mappings.len; i++) {
		const struct detours_mapping *m = &s->detours->mappings.data[i];

		if (is_ours(&maps, m->lo.v))
			remote_call_unmap(r, m->lo, m->size);
	}
	procfs_maps_release(&maps);
}

static void unmap_in_child(struct keeper *k, struct task *task, int mem)
{
	const struct space *s = task->process->space;
	struct remote_call r;

	if ((!s->xol.len && !s->detours) ||
	    remote_call_begin(&r, &k->waits, task, mem) < 0)
		return;
	child_unmap_copied(&r, s);
	remote_call_end(&r, &task->status);
}

/* Removes everything of ours from a fork child, which has memory of its own. */
static int clean(struct keeper *k, struct task *task)
{
	struct process *p = task->process;
	int mem = mem_open(task->tid), status;

	if (mem < 0)
		mem = mem_open(task->tid);
	status = stopped_leave_copy(task);
	if (status < 0) {
		/* it is dead, or stranded.c will find it */
		if (mem >= 0)
			mem_close(mem);
		return status;
	}
	if (mem >= 0) {
		space_restore(p->space, task->tid, mem);
		semaphores_lower_copy(&p->space->semaphores, mem);
		unmap_in_child(k, task, mem);
		if (p->space->return_stub.v)
			return_stub_clear(mem, p->space->return_stub);
		mem_close(mem);
	}
	if (p->space->detours)
		thread_slots_clear_base(task->tid);
	return 0;
}

/* A clean fork child becomes a traced process, held until it has its probes. */
static bool follow(struct keeper *k, struct task *task)
{
	struct process *p = task->process;

	if (!p->space->family || k->is_releasing || !process_new_space(p))
		return false;
	p->role = ROLE_TRACED;
	p->has_execs = privileged_exec_is_lost();
	siteless_watch(&k->siteless, p);
	siteless_born(&k->siteless, task);
	event_image(k, task, KEEPER_EV_FORK, p->space->family);
	return true;
}

bool child_first_stop(struct keeper *k, struct task *task, int status)
{
	struct process *p = task->process;

	task->status = status;
	if (p->role == ROLE_FORKED) {
		if (clean(k, task) < 0 || follow(k, task))
			return false;
		pt_detach(task->tid, 0);
		process_remove(&k->tasks, p);
		return false;
	}
	task->state = TASK_RUNNING;
	if (stopped_leave_copy(task) < 0)
		return false;
	if (p->role == ROLE_SHARER && p->ntasks == 1)
		siteless_born(&k->siteless, task);
	else
		siteless_proc(&k->siteless, task, KEEPER_PROC_LWP_START, NULL, 0);
	return true; /* it may have been born into a group stop */
}

static struct space *space_of_orphan(const struct keeper *k, int tid)
{
	struct space *found = NULL;
	int mem = mem_open(tid);

	for (int i = 0; mem >= 0 && i < TASKS_RECENT_MAX && k->tasks.recent[i]; i++) {
		found = k->tasks.recent[i];
		if (space_is_copied(found, mem))
			break;
	}
	if (mem >= 0)
		mem_close(mem);
	return found;
}

/*
 * A parent that is killed inside fork never reports the child. While a process is traced
 * whose event may still announce the child, it is no orphan. (A child made with
 * CLONE_PARENT, when a process with the same memory has just ended, may be taken for an
 * orphan: it is cleaned and detached as any fork child.)
 */
static bool is_orphan(const struct keeper *k, const struct task *task)
{
	struct procfs_status st;

	return procfs_status(task->tid, &st) == 0 &&
	       !process_find(&k->tasks, st.ppid) && !process_find(&k->tasks, st.tgid);
}

void child_adopt_orphans(struct keeper *k)
{
	struct task *next;

	if (!k->tasks.recent[0])
		return;
	for (struct task *t = k->tasks.early; t; t = next) {
		struct space *space;

		next = t->next;
		space = is_orphan(k, t) ? space_of_orphan(k, t->tid) : NULL;
		if (!space)
			continue;
		task_adopt(
			&k->tasks, t,
			process_add(&k->tasks, t->tid, ROLE_FORKED, space_ref(space)));
		child_first_stop(k, t, t->status);
		next = k->tasks.early; /* the list may have changed */
	}
}

void child_await(struct keeper *k, const struct space *space)
{
	struct process *p = k->tasks.processes;
	int status;

	while (p) {
		struct task *child = p->tasks;

		if (p->role != ROLE_FORKED || p->space != space || !child) {
			p = p->next;
			continue;
		}
		if (wait_queue_wait_tid(&k->waits, child->tid, BIRTH_MS, &status) < 0)
			return;
		child_first_stop(k, child, status);
		p = k->tasks.processes; /* the list has changed */
	}
}
