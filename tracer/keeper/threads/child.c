/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/threads/child.h"
#include "tracer/keeper/inject/trap_handler.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/os/stop.h"
#include "tracer/keeper/space/remote_call.h"
#include "tracer/keeper/space/return_stub.h"
#include "tracer/keeper/space/space.h"
#include "tracer/keeper/threads/event.h"
#include "tracer/keeper/threads/privileged_exec.h"

#include <linux/sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

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

static struct process *forked(struct keeper *k, struct space *space, int pid)
{
	k->nchildren += space->family == 0;
	return process_add(&k->tasks, pid, ROLE_FORKED, space_ref(space));
}

static struct process *process_of_child(struct keeper *k, const struct task *parent,
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

/*
 * Takes our bytes out of the memory of a fork child, which runs nothing yet, stopped or
 * not. So what its parent's process changes from now on does not concern it.
 */
static void restore_copy(struct process *p, int tid)
{
	int mem = mem_open(tid);

	if (mem < 0)
		mem = mem_open(tid);
	if (mem < 0)
		return;
	space_restore(p->space, tid, mem);
	semaphores_lower_copy(&p->space->semaphores, mem);
	mem_close(mem);
	p->is_restored = true;
}

/* 0: it is dead. */
static int child_of(const struct task *parent)
{
	unsigned long message;

	if (pt_event_message(parent->tid, &message) < 0 &&
	    pt_event_message(parent->tid, &message) < 0)
		return 0;
	return (int)message;
}

static bool is_known(const struct keeper *k, int tid)
{
	const struct task *task = task_find(&k->tasks, tid);

	return task && task->process;
}

/* A child that is not known yet, perhaps EARLY, is a task of the process. */
static void admit(struct keeper *k, struct process *p, int tid)
{
	struct task *child = task_find(&k->tasks, tid);

	if (p->role == ROLE_FORKED)
		restore_copy(p, tid);
	if (child) {
		task_adopt(&k->tasks, child, p);
		wait_queue_keep(&k->waits, tid, child->status);
	} else {
		child = task_add(&k->tasks, p, tid, TASK_NEW);
	}
	child->is_born = true;
}

/* It may have been found while we attached. */
static void meet(struct keeper *k, const struct task *parent, int tid)
{
	cpu_note_child(&k->cpu, parent->tid, tid);
	if (!is_known(k, tid))
		admit(k, process_of_child(k, parent, tid), tid);
}

void child_meet(struct keeper *k, struct task *parent)
{
	int tid = child_of(parent);

	if (tid && parent->met != tid)
		meet(k, parent, tid);
	parent->met = tid;
}

void child_meet_all(struct keeper *k, const struct space *space)
{
	struct process *next;

	/* Children come to the front of the list. */
	for (struct process *p = k->tasks.processes; p; p = next) {
		next = p->next;
		if (p->space != space || p->role == ROLE_FORKED)
			continue;
		for (struct task *t = p->tasks; t; t = t->next)
			if (t->state == TASK_RUNNING &&
			    stop_tells_of_child(wait_queue_look(t->tid)))
				child_meet(k, t);
	}
}

void child_event(struct keeper *k, struct task *parent)
{
	int tid = child_of(parent);

	if (!tid)
		return;
	tell_of_child(k, parent, tid);
	/*
	 * It may sleep until its child calls exec, and must not do so in memory of
	 * ours.
	 */
	task_leave_copy(parent);
	if (parent->met != tid)
		meet(k, parent, tid);
	parent->met = 0;
}

/*
 * Whether the child has our memory at lo. It may have been forked before that was mapped,
 * when the process had another mapping there.
 */
static bool is_ours(const struct procfs_maps *maps, uint64_t lo)
{
	const struct procfs_area *a = procfs_maps_find(maps, taddr_of(lo));

	if (!a || (a->kind != AREA_PLAIN && a->kind != AREA_UNDO_LOG))
		return false;
	return a->is_file ? a->is_shared : a->is_executable && !a->is_shared;
}

struct copied {
	struct remote_call *r;
	const struct procfs_maps *maps;
};

static void unmap_copied(void *ctx, taddr lo, uint64_t size)
{
	const struct copied *c = ctx;

	if (is_ours(c->maps, lo.v))
		remote_call_unmap(c->r, lo, size);
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
	undo_log_each_memory(&s->undo_log, unmap_copied, &(struct copied){r, &maps});
	procfs_maps_release(&maps);
}

static void unmap_in_child(struct keeper *k, struct task *task, int mem)
{
	const struct space *s = task->process->space;
	struct remote_call r;

	if ((!s->xol.len && !s->detours && !s->undo_log.head) ||
	    remote_call_begin(&r, &k->waits, task, mem) < 0)
		return;
	trap_handler_remove(&r, s);
	child_unmap_copied(&r, s);
	remote_call_end(&r, &task->status);
}

/* Removes everything of ours from a fork child, which has memory of its own. */
static int clean(struct keeper *k, struct task *task)
{
	struct process *p = task->process;
	int mem, status = task_leave_copy(task);

	/* It is dead, or stranded.c will find it. */
	if (status < 0)
		return status;
	if (!p->is_restored)
		restore_copy(p, task->tid);
	mem = mem_open(task->tid);
	if (mem < 0)
		mem = mem_open(task->tid);
	if (mem >= 0) {
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
	if (task_leave_copy(task) < 0)
		return false;
	if (p->role == ROLE_SHARER && p->ntasks == 1)
		siteless_born(&k->siteless, task);
	else
		siteless_proc(&k->siteless, task, KEEPER_PROC_LWP_START, NULL, 0);
	return true; /* it may have been born into a group stop */
}

struct untold {
	struct keeper *k;
	struct process *parent;
};

static int adopt_untold(void *ctx, int pid)
{
	const struct untold *u = ctx;
	struct procfs_status st;

	if (!is_known(u->k, pid) && procfs_status(pid, &st) == 0 &&
	    st.tracer == getpid())
		admit(u->k, forked(u->k, u->parent->space, pid), pid);
	return 0;
}

/* Of a process with one thread, which makes no child now. */
void child_adopt_untold(struct keeper *k, struct process *p)
{
	struct untold u = {k, p};

	procfs_children(p->pid, adopt_untold, &u);
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

static int may_announce(void *ctx, int tid)
{
	(void)ctx;
	return procfs_may_make_child(tid);
}

/*
 * A parent that is killed inside fork never reports the child. While a process is traced
 * whose event may still announce the child, it is no orphan. Who has adopted it may be
 * traced too: is_idle: then its threads are looked at. (A child made with CLONE_PARENT,
 * when a process with the same memory has just ended, may be taken for an orphan: it is
 * cleaned and detached as any fork child.)
 */
static bool is_orphan(const struct keeper *k, const struct task *task, bool is_idle)
{
	struct procfs_status st;

	if (procfs_status(task->tid, &st) < 0)
		return false;
	if (!process_find(&k->tasks, st.ppid) && !process_find(&k->tasks, st.tgid))
		return true;
	return is_idle && st.tgid == task->tid &&
	       procfs_threads(st.ppid, may_announce, NULL) == 0;
}

void child_adopt_orphans(struct keeper *k, bool is_idle)
{
	struct task *next;

	if (!k->tasks.recent[0])
		return;
	for (struct task *t = k->tasks.early; t; t = next) {
		struct space *space;

		next = t->next;
		space = is_orphan(k, t, is_idle) ? space_of_orphan(k, t->tid) : NULL;
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
