/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/task.h"
#include "tracer/keeper/os/ptrace.h"
#include "hook/resident.h"
#include "vm/base/hash.h"
#include "vm/base/host/clock.h"
#include "vm/base/host/oom.h"

#include <stdlib.h>
#include <unistd.h>
#include <string.h>

struct task *task_find(const struct tasks *t, int tid)
{
	uint64_t v;

	return map_get(&t->by_tid, (uint64_t)tid, &v) ? (struct task *)(uintptr_t)v
						      : NULL;
}

struct task *tasks_turn(struct tasks *t)
{
	uint64_t v;

	t->turn = t->turn + 1 < t->by_tid.cap ? t->turn + 1 : 0;
	return map_at(&t->by_tid, t->turn, &v) ? (struct task *)(uintptr_t)v : NULL;
}

struct process *process_find(const struct tasks *t, int pid)
{
	uint64_t v;

	return map_get(&t->by_pid, (uint64_t)pid, &v) ? (struct process *)(uintptr_t)v
						      : NULL;
}

static void link_task(struct task *task, struct process *p)
{
	task->process = p;
	task->next = p->tasks;
	p->tasks = task;
	p->ntasks++;
}

static void unlink_task(struct task **link, const struct task *task)
{
	while (*link != task)
		link = &(*link)->next;
	*link = task->next;
}

void task_adopt(struct tasks *t, struct task *task, struct process *p)
{
	if (task->state == TASK_EARLY)
		unlink_task(&t->early, task);
	task->state = TASK_NEW;
	link_task(task, p);
}

struct space_place task_place(const struct task *task, const struct regs *regs)
{
	return space_where(task->process->space, taddr_of(regs_pc(regs)),
			   taddr_of(regs_sp(regs)));
}

int task_leave_copy(struct task *task)
{
	struct space_place place;
	struct regs regs;
	int status = pt_regs(task->tid, &regs);

	if (status < 0)
		return status;
	place = task_place(task, &regs);
	if (place.where != WHERE_SLOT_AFTER)
		return 0;
	step_pc_fixup(&place.site->in, place.site->slot.at, place.site->slot.len,
		      &regs);
	return pt_set_regs(task->tid, &regs);
}

int task_interrupt(struct task *task)
{
	task->cut.is_expected = true;
	return pt_interrupt(task->tid);
}

bool task_stops_at_calls(const struct task *task)
{
	return task->process && (task->process->has_calls || task->process->has_execs ||
				 (task->cut.is_on && task->cut.needs_exit));
}

int task_block_signals(struct task *task)
{
	int status = pt_mask(task->tid, &task->mask);

	if (!status)
		status = pt_set_mask(task->tid, pt_mask_but_faults());
	task->has_blocked = !status;
	return status;
}

void task_unblock_signals(struct task *task)
{
	if (task->has_blocked)
		pt_put_back(task->tid, NULL, &task->mask);
	task->has_blocked = false;
}

void task_unblock_trap(struct task *task)
{
	const uint64_t trap = pt_mask_of(SIGTRAP);
	uint64_t mask;

	if (pt_mask(task->tid, &mask) == 0 && mask & trap &&
	    pt_set_mask(task->tid, mask & ~trap) == 0)
		task->lets_trap_through = true;
}

void task_block_trap_again(struct task *task)
{
	uint64_t mask;

	if (task->lets_trap_through && pt_mask(task->tid, &mask) == 0)
		pt_set_mask(task->tid, mask | pt_mask_of(SIGTRAP));
	task->lets_trap_through = false;
}

/* The block with its slots; NULL: it has none. */
static struct state *state_of(const struct task *task)
{
	const struct detours *d = task->process ? task->process->space->detours : NULL;

	return d && task->slot.pair ? d->pairs.state : NULL;
}

static uint32_t first_slot(const struct task *task)
{
	return resident_slot(task->slot.pair - 1, 0);
}

struct tail_calls *task_tail_calls(struct task *task)
{
	struct state *s = state_of(task);

	return s ? tail_calls_of(s, first_slot(task)) : &task->tail_calls;
}

/* NULL: it has no slots. */
static struct own_time *time_in_slot(const struct task *task)
{
	struct state *s = state_of(task);

	return s ? own_time_of(s, first_slot(task)) : NULL;
}

static struct own_time *time_of(struct task *task)
{
	struct own_time *t = time_in_slot(task);

	return t ? t : &task->own_time;
}

static uint64_t word(const _Atomic uint64_t *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

static void copy_time(struct own_time *to, const struct own_time *from)
{
	atomic_store_explicit(&to->now, word(&from->now), memory_order_relaxed);
	atomic_store_explicit(&to->left, word(&from->left), memory_order_relaxed);
}

void task_time_stop(struct task *task, uint64_t way)
{
	if (task->timed_stop.seen)
		return;
	task->timed_stop.seen = clock_now_ns();
	task->timed_stop.way = way;
	own_time_enter(time_of(task), task->timed_stop.seen, way);
}

void task_time_go(struct task *task)
{
	if (!task->timed_stop.seen)
		return;
	own_time_leave_late(time_of(task), task->timed_stop.seen, clock_now_ns(),
			    task->timed_stop.way);
	task->timed_stop.seen = 0;
}

uint64_t task_time_now(const struct task *task)
{
	const struct own_time *t = time_in_slot(task);

	return word(t ? &t->now : &task->own_time.now);
}

/* What is kept of the thread moves into the slot that it has now ... */
static void keep_in_slot(struct task *task)
{
	struct own_time *t = time_in_slot(task);

	if (!t)
		return;
	copy_time(t, &task->own_time);
	memcpy(task_tail_calls(task), &task->tail_calls, sizeof(task->tail_calls));
}

/* ... and out of the one that it gives back. */
static void keep_in_task(struct task *task)
{
	const struct own_time *t = time_in_slot(task);

	if (!t)
		return;
	copy_time(&task->own_time, t);
	memcpy(&task->tail_calls, task_tail_calls(task), sizeof(task->tail_calls));
}

int task_cont(struct task *task, int sig)
{
	task_time_go(task);
	return task_stops_at_calls(task) ? pt_syscall(task->tid, sig)
					 : pt_cont(task->tid, sig);
}

static uint64_t operands_of(const struct regs *r)
{
	uint64_t all[REGS_DWARF_COUNT];

	regs_to_dwarf(r, all);
	return hash_bytes(all, sizeof(all), 0) | 1;
}

void task_note_fired(struct task *task, taddr at, const struct regs *regs, bool is_call)
{
	task->fired = (struct task_fired){.at = at,
					  .sp = taddr_of(regs_sp(regs)),
					  .link = regs_syscall_link(regs),
					  .operands = is_call ? 0 : operands_of(regs)};
}

bool task_has_fired(struct task *task, taddr at, const struct regs *regs)
{
	const struct task_fired fired = task->fired;

	if (fired.at.v != at.v || fired.sp.v != regs_sp(regs))
		return false;
	task->fired.at.v = 0;
	return fired.link == regs_syscall_link(regs) &&
	       (!fired.operands || fired.operands == operands_of(regs));
}

struct task *task_add(struct tasks *t, struct process *p, int tid,
		      enum task_state state)
{
	struct task *task = oom_calloc(1, sizeof(*task));

	task->tid = tid;
	task->state = state;
	task->identity = ++t->last_identity;
	map_set(&t->by_tid, (uint64_t)tid, (uint64_t)(uintptr_t)task);
	if (p) {
		link_task(task, p);
	} else {
		task->next = t->early;
		t->early = task;
	}
	return task;
}

void task_take_slot(struct tasks *t, struct task *task, bool is_inert)
{
	const struct space *s = task->process->space;
	const struct thread_slots_request r = {.detours = s->detours,
					       .tid = task->tid,
					       .identity = task->identity,
					       .is_inert = is_inert,
					       .finds_stack = s->stacks ||
							      t->slots.reads_there};
	bool is_new = !task->slot.pair;

	thread_slots_take(&t->slots, &r, &task->slot);
	if (is_new)
		keep_in_slot(task);
}

void task_drop_slot(struct tasks *t, struct task *task)
{
	const struct process *p = task->process;

	keep_in_task(task);
	thread_slots_drop(&t->slots, p ? p->space->detours : NULL, p ? p->pid : 0,
			  &task->slot);
}

void task_forget_samples(struct task *task)
{
	if (task->samples && task->samples->counter >= 0)
		close(task->samples->counter);
	free(task->samples);
	task->samples = NULL;
	task->has_samples = false;
}

void task_remove(struct tasks *t, struct task *task)
{
	struct process *p = task->process;

	task_drop_slot(t, task);
	map_remove(&t->by_tid, (uint64_t)task->tid);
	unlink_task(p ? &p->tasks : &t->early, task);
	if (p) {
		p->ntasks--;
		if (p->held == task)
			p->held = NULL;
	}
	task_forget_samples(task);
	free(task->unwinding);
	free(task);
}

struct process *process_add(struct tasks *t, int pid, enum process_role role,
			    struct space *space)
{
	struct process *p = oom_calloc(1, sizeof(*p));

	p->pid = pid;
	p->role = role;
	p->space = space;
	p->next = t->processes;
	t->processes = p;
	map_set(&t->by_pid, (uint64_t)pid, (uint64_t)(uintptr_t)p);
	return p;
}

bool process_is_observed(const struct process *p)
{
	return p->role == ROLE_TRACED || (p->role == ROLE_SHARER && p->space->family);
}

bool process_has_variables(const struct process *p)
{
	return p->role == ROLE_TRACED && p->space->detours &&
	       p->space->detours->has_variables;
}

bool process_new_space(struct process *p)
{
	struct space *s = space_new();

	s->family = p->space->family;
	space_unref(p->space);
	p->space = s;
	return space_open(s, p->pid) == 0;
}

bool process_watches_end(const struct process *p, int tid)
{
	return p->has_exits || tid == p->pid;
}

unsigned process_options(const struct process *p, int tid)
{
	unsigned options = p->is_created ? PT_OPTION_EXITKILL : 0;

	return options | (process_watches_end(p, tid) ? PT_OPTION_EXIT : 0);
}

static bool is_living(int tid)
{
	struct procfs_status st;

	return procfs_status(tid, &st) == 0 && st.state != 'Z' && st.state != 'X';
}

int process_living_tid(const struct process *p)
{
	/* The leader first: it mostly lives as long as the process. */
	if (is_living(p->pid))
		return p->pid;
	for (const struct task *t = p->tasks; t; t = t->next)
		if (is_living(t->tid))
			return t->tid;
	return p->tasks ? p->tasks->tid : 0;
}

void process_keep_recent(struct tasks *t, const struct process *p)
{
	struct space *oldest = t->recent[TASKS_RECENT_MAX - 1];

	if (oldest)
		space_unref(oldest);
	memmove(t->recent + 1, t->recent,
		(TASKS_RECENT_MAX - 1) * sizeof(t->recent[0]));
	t->recent[0] = space_ref(p->space);
}

void tasks_forget_recent(struct tasks *t)
{
	for (int i = 0; i < TASKS_RECENT_MAX && t->recent[i]; i++) {
		space_unref(t->recent[i]);
		t->recent[i] = NULL;
	}
}

void process_remove(struct tasks *t, struct process *p)
{
	struct process **link = &t->processes;

	while (*link != p)
		link = &(*link)->next;
	*link = p->next;
	while (p->tasks)
		task_remove(t, p->tasks);
	map_remove(&t->by_pid, (uint64_t)p->pid);
	space_unref(p->space);
	free(p);
}
