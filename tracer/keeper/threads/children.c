/* SPDX-License-Identifier: MIT */
/*
 * Threads and processes that begin, change their image, and end. A child may
 * stop before the event of its parent tells what it is; a fork child is
 * cleaned before it runs one instruction, then followed (space.family) or
 * detached; whoever shares the memory without being a thread is kept until it
 * executes or exits, or is about to execute a program that would not gain its
 * privileges while it is traced (privileged_exec.h).
 */
#include "tracer/keeper/os/elf.h"
#include "tracer/keeper/threads/privileged_exec.h"
#include "tracer/keeper/threads/handle.h"
#include "tracer/keeper/space/remote.h"
#include "tracer/keeper/os/link.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/space/return_stub.h"
#include "tracer/keeper/space/space.h"
#include "tracer/keeper/os/stop.h"

#include <linux/sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The same from what can be seen: for a parent that is dying, or moved its arguments. */
static uint64_t likely_flags(const struct task *parent, int child)
{
	struct procfs_status st;

	if (procfs_status(child, &st) == 0 && st.tgid == parent->process->pid)
		return CLONE_VM | CLONE_THREAD;
	return parent->status >> 16 == PT_EVENT_VFORK ? CLONE_VM | CLONE_VFORK : 0;
}

/* The flags of the call that the parent is in: what its child shares. */
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
		return mem_read(parent->process->space->mem, regs_syscall_arg(&regs, 0),
				&flags, sizeof(flags)) < 0
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

/* The call that made the child may have run in a copy: it belongs behind the site. */
static int leave_copy(struct task *task)
{
	struct space_place place;
	struct regs regs;
	int status = pt_regs(task->tid, &regs);

	if (status < 0)
		return status;
	place = task_place(task, &regs);
	return place.where == WHERE_SLOT_AFTER
		       ? handle_pc_fixup(task, place.site, &regs)
		       : 0;
}

void handle_child(struct keeper *k, struct task *parent)
{
	unsigned long message;
	struct task *child;
	int tid;

	if (pt_event_message(parent->tid, &message) < 0 &&
	    pt_event_message(parent->tid, &message) < 0)
		return;
	tid = (int)message;
	tell_of_child(k, parent, tid);
	/* It may sleep from here until its child executes: not in memory of ours. */
	leave_copy(parent);
	child = task_find(&k->tasks, tid);
	if (child && child->process)
		return; /* listed while we attached */
	if (!child) {
		task_add(&k->tasks, process_of_child(k, parent, tid), tid, TASK_NEW);
		return;
	}
	task_adopt(&k->tasks, child, process_of_child(k, parent, tid));
	handle_first(k, child, child->status);
}

/*
 * Whether what the space has mapped at lo since is what the child has there: it may
 * have been made before that, of a process that had other things there then.
 */
static bool is_ours(const struct procfs_maps *maps, uint64_t lo)
{
	const struct procfs_area *a = procfs_maps_find(maps, lo);

	if (!a || a->kind != AREA_PLAIN)
		return false;
	return a->is_file ? a->is_shared : a->is_executable && !a->is_shared;
}

static void unmap_all(struct remote *r, const struct space *s)
{
	struct procfs_maps maps = {0};

	if (procfs_maps(r->tid, &maps) < 0 && procfs_maps(r->tid, &maps) < 0)
		return;
	for (size_t i = 0; i < s->xol.len; i++)
		if (is_ours(&maps, s->xol.data[i].lo.v))
			remote_unmap(r, s->xol.data[i].lo, s->xol.data[i].size);
	for (size_t i = 0; s->detours && i < s->detours->mappings.len; i++) {
		const struct detours_mapping *m = &s->detours->mappings.data[i];

		if (is_ours(&maps, m->lo.v))
			remote_unmap(r, m->lo, m->size);
	}
	procfs_maps_release(&maps);
}

static void unmap_in_child(struct keeper *k, struct task *task, int mem)
{
	const struct space *s = task->process->space;
	struct remote r;

	if ((!s->xol.len && !s->detours) || remote_begin(&r, &k->waits, task, mem) < 0)
		return;
	unmap_all(&r, s);
	remote_end(&r, &task->status);
}

/* Takes everything of ours out of a fork child, which has its own memory. */
static int clean(struct keeper *k, struct task *task)
{
	struct process *p = task->process;
	int mem = mem_open(task->tid), status;

	if (mem < 0)
		mem = mem_open(task->tid);
	status = leave_copy(task);
	if (status < 0) {
		/* dead, or rescued */
		if (mem >= 0)
			close(mem);
		return status;
	}
	if (mem >= 0) {
		space_restore(p->space, task->tid, mem);
		unmap_in_child(k, task, mem);
		if (p->space->return_stub.v)
			return_stub_clear(mem, p->space->return_stub.v);
		close(mem);
	}
	if (p->space->detours)
		thread_slots_clear_base(task->tid);
	return 0;
}

/* The thread waits for the front, which gets its memory with the event. */
static void announce(struct keeper *k, struct task *task, const struct keeper_msg *m)
{
	task->state = TASK_HELD;
	task->held_at = 0;
	task->process->held = task;
	if (link_send(k->link, m, task->process->space->mem) < 0)
		k->is_over = true;
}

/* The old one's memory has gone, or is a copy of it: false if it cannot be opened. */
static bool take_new_space(struct process *p)
{
	struct space *s = space_new();

	s->family = p->space->family;
	space_unref(p->space);
	p->space = s;
	return space_open(s, p->pid) == 0;
}

static void begin_process(struct keeper *k, struct task *task)
{
	siteless_proc(&k->siteless, task, KEEPER_PROC_START, NULL, 0);
	siteless_proc(&k->siteless, task, KEEPER_PROC_LWP_START, NULL, 0);
}

/* A fork child, clean: it becomes a traced process, held until it has its probes. */
static bool follow(struct keeper *k, struct task *task)
{
	struct process *p = task->process;
	struct keeper_msg m = {.type = KEEPER_EV_FORK,
			       .pid = p->pid,
			       .tid = task->tid,
			       .image.family = p->space->family};

	if (!p->space->family || k->is_releasing || !take_new_space(p))
		return false;
	p->role = ROLE_TRACED;
	p->has_execs = privileged_exec_is_lost();
	siteless_watch(&k->siteless, p);
	begin_process(k, task);
	announce(k, task, &m);
	return true;
}

void handle_first(struct keeper *k, struct task *task, int status)
{
	struct process *p = task->process;

	task->status = status;
	if (p->role == ROLE_FORKED) {
		if (clean(k, task) < 0 || follow(k, task))
			return;
		pt_detach(task->tid, 0);
		process_remove(&k->tasks, p);
		return;
	}
	task->state = TASK_RUNNING;
	if (leave_copy(task) < 0)
		return;
	if (p->role == ROLE_SHARER && p->ntasks == 1)
		begin_process(k, task);
	else
		siteless_proc(&k->siteless, task, KEEPER_PROC_LWP_START, NULL, 0);
	/* It may have been born into a group stop. */
	handle_stop(k, task->tid, status);
}

static void tell_lost(struct keeper *k, struct process *p, const char *why)
{
	struct keeper_msg m = {.type = KEEPER_EV_LOST, .pid = p->pid, .tid = p->pid};

	snprintf(m.text, sizeof(m.text), "%s", why);
	if (link_send(k->link, &m, -1) < 0)
		k->is_over = true;
}

static void lose(struct keeper *k, struct task *task, const char *why)
{
	tell_lost(k, task->process, why);
	pt_detach(task->tid, 0);
	process_remove(&k->tasks, task->process);
}

/*
 * Whoever executed has the leader's tid now, and its other threads have gone
 * without a word (ptrace(2), "execve(2) under ptrace").
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
			state_forget_thread(k->program.state, STATE_SLOT_KEEPER,
					    t->identity);
		task_remove(&k->tasks, t);
	}
}

/* A child that shared its parent's memory until now is news, if it is followed. */
static void announce_exec(struct keeper *k, struct task *task)
{
	struct process *p = task->process;
	struct keeper_msg m = {.type = KEEPER_EV_EXEC, .pid = p->pid, .tid = task->tid};

	if (p->role == ROLE_SHARER)
		m.image.family = p->space->family;
	p->role = ROLE_TRACED;
	announce(k, task, &m);
}

void handle_exec(struct keeper *k, struct task *task)
{
	struct process *p = task->process;
	int tid = task->tid;

	drop_other_tasks(k, p, tid);
	task_drop_slot(&k->tasks, task);
	if (!process_is_observed(p) || (p->role == ROLE_SHARER && k->is_releasing)) {
		pt_detach(task->tid, 0);
		process_remove(&k->tasks, p);
		return;
	}
	task->fired.at = 0;
	if (!take_new_space(p))
		lose(k, task, "the new program's memory cannot be opened");
	else if (elf_is_32bit(p->pid))
		lose(k, task, "it executed a 32-bit program, which cannot be traced");
	else
		announce_exec(k, task);
	if (task_find(&k->tasks, tid) == task)
		siteless_exec(&k->siteless, task);
}

bool handle_call(struct keeper *k, struct task *task)
{
	struct process *p = task->process;

	/* With other threads, which the exec would end, it would not be so simple. */
	if (!p->has_execs || p->ntasks > 1 || !privileged_exec_by_call(task))
		return false;
	if (p->role == ROLE_TRACED) {
		/* Should the exec fail it keeps memory of ours, unused. */
		space_restore(p->space, task->tid, p->space->mem);
		if (p->space->detours)
			thread_slots_clear_base(task->tid);
		tell_lost(k, p, "executes a program that gains privileges");
	}
	task_drop_slot(&k->tasks, task);
	pt_detach(task->tid, 0);
	process_remove(&k->tasks, p);
	return true;
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
		close(mem);
	return found;
}

/*
 * A parent that is killed in its fork never reports it. As long as a process
 * that may yet tell of the child is traced, it is left to that. (A child made
 * with CLONE_PARENT while a like process has just ended may be taken for an orphan: it
 * is detached, clean, as any fork child.)
 */
static bool is_orphan(const struct keeper *k, const struct task *task)
{
	struct procfs_status st;

	return procfs_status(task->tid, &st) == 0 &&
	       !process_find(&k->tasks, st.ppid) && !process_find(&k->tasks, st.tgid);
}

void handle_orphans(struct keeper *k)
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
		handle_first(k, t, t->status);
	}
}

#define BIRTH_MS 2000 /* a fork child stops before its first instruction */

/*
 * Children that a process of a followed family leaves are told of before its own end:
 * else that would be taken for the end of all.
 */
static void await_births(struct keeper *k, const struct space *space)
{
	struct process *p = k->tasks.processes;

	while (p) {
		struct process *next = p->next;
		struct task *child = p->tasks;
		int status;

		if (p->role == ROLE_FORKED && p->space == space && child &&
		    wait_queue_wait_tid(&k->waits, child->tid, BIRTH_MS, &status) ==
			    0) {
			handle_first(k, child, status);
			next = k->tasks.processes; /* the list has changed */
		}
		p = next;
	}
}

void handle_gone(struct keeper *k, struct task *task, int status)
{
	struct process *p = task->process;
	struct keeper_msg m = {.type = KEEPER_EV_EXIT};

	siteless_gone(&k->siteless, task, status);
	/* What it had claimed is free before its variables go. */
	task_drop_slot(&k->tasks, task);
	if (k->program.state)
		state_forget_thread(k->program.state, STATE_SLOT_KEEPER,
				    task->identity);
	if (p && task == p->held && p->ntasks > 1) {
		/* Killed while held: the next one held is told of. */
		p->held = NULL;
		task->state = TASK_RUNNING;
		handle_resume(k, p);
	}
	m.tid = task->tid;
	task_remove(&k->tasks, task);
	if (!p || p->ntasks)
		return;
	if (p->space->family && !k->is_releasing)
		await_births(k, p->space);
	/* The leader's status comes last, and is the process's. */
	m.pid = p->pid;
	m.exit.wait_status = status;
	if (p->role == ROLE_TRACED && link_send(k->link, &m, -1) < 0)
		k->is_over = true;
	process_keep_recent(&k->tasks, p);
	process_remove(&k->tasks, p);
	handle_orphans(k);
}
