/* SPDX-License-Identifier: MIT */
/*
 * A thread has come to a breakpoint or a jump of ours that the program has moved with its
 * code, by a system call that was not seen. The breakpoint is no site's there, and the
 * jump leads to another address than that of its stub, which most likely is not mapped.
 */
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/procfs.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/threads/event.h"
#include "tracer/keeper/threads/hit.h"

#include <signal.h>

#define RETURN_ADDRESS 8

/* Code of a file, which the program has not made itself. */
static bool find_code(const struct task *task, taddr at, struct addr_range *out)
{
	struct procfs_maps maps = {0};
	const struct procfs_area *area = NULL;

	if (procfs_maps(task->tid, &maps) == 0)
		area = procfs_maps_find(&maps, at);
	if (area && (!area->is_file || !area->is_executable || area->is_shared ||
		     area->is_writable))
		area = NULL;
	if (area)
		*out = area->range;
	procfs_maps_release(&maps);
	return area != NULL;
}

/* The front sets probes where the code is now, then the thread goes on. */
static void hold(struct keeper *k, struct task *task, taddr at,
		 const struct mapping_move *move)
{
	struct process *p = task->process;

	if (p->role != ROLE_TRACED || k->is_releasing) {
		task_cont(task, 0);
		return;
	}
	task->state = TASK_HELD;
	task->held_at = at;
	task->mapped = mapping_move_range(move);
	task->maps_often = false;
	task->held_hits = 0; /* there is no site yet */
	if (!p->held)
		event_hold(k, task);
}

static bool go_to(struct task *task, const struct regs *now, taddr at, bool is_call)
{
	struct regs regs = *now;

	regs_set_pc(&regs, at.v);
	if (is_call)
		regs_set_sp(&regs, regs_sp(&regs) + RETURN_ADDRESS);
	return pt_set_regs(task->tid, &regs) == 0;
}

/* Takes out what of ours is in the mapping, and holds the thread. */
static bool restore(struct keeper *k, struct task *task, const struct regs *regs,
		    const struct space_jump *j)
{
	struct mapping_move move;
	struct addr_range code;

	if (!find_code(task, j->to, &code))
		return false;
	move.from.lo = taddr_of(code.lo.v - j->to.v + j->from.v);
	move.from.hi = taddr_of(code.hi.v - j->to.v + j->from.v);
	move.to = code.lo;
	if (!space_restore_moved(task->process->space, &move) ||
	    !go_to(task, regs, j->to, j->is_call))
		return false;
	hold(k, task, j->to, &move);
	return true;
}

/* Another thread has come there before, and its byte has been taken out since. */
static bool is_taken_out(const struct space *s, taddr trap)
{
	uint8_t now;

	return space_has_moved_to(s, trap) && mem_read(s->mem, trap, &now, 1) == 0 &&
	       now != BPT_BYTE;
}

static bool leave_trap(struct keeper *k, struct task *task, const struct regs *regs)
{
	const struct space *s = task->process->space;
	struct space_jump j = {.to = taddr_of(regs_pc(regs) - 1)};

	if (is_taken_out(s, j.to))
		return go_to(task, regs, j.to, false) && task_cont(task, 0) == 0;
	return space_finds_moved(s, j.to, &j.from) && restore(k, task, regs, &j);
}

static bool leave_jump(struct keeper *k, struct task *task, const struct regs *regs)
{
	const struct space *s = task->process->space;
	struct space_jump j;

	if (!space_finds_moved_jump(s, taddr_of(regs_pc(regs)), &j))
		return false;
	if (space_has_moved_to(s, j.to))
		return go_to(task, regs, j.to, j.is_call) && task_cont(task, 0) == 0;
	return restore(k, task, regs, &j);
}

bool hit_leave_moved(struct keeper *k, struct task *task, const struct regs *regs,
		     int sig)
{
	siginfo_t info;

	if ((sig != SIGTRAP && sig != SIGSEGV) || pt_siginfo(task->tid, &info) < 0)
		return false;
	if (sig == SIGTRAP)
		return info.si_code == SI_KERNEL && leave_trap(k, task, regs);
	return info.si_code > 0 && (uintptr_t)info.si_addr == regs_pc(regs) &&
	       leave_jump(k, task, regs);
}
