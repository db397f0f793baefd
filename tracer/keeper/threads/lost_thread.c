/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/threads/lost_thread.h"
#include "tracer/keeper/threads/stopped.h"
#include "tracer/keeper/os/ptrace.h"

#include <sys/wait.h>

/* Whether the signal of the stop is a trap of ours, which the program must not get. */
static bool is_our_trap(const struct task *task, int status, enum stop_where where)
{
	siginfo_t info;

	if (status >> 16 != PT_EVENT_NONE || WSTOPSIG(status) != SIGTRAP ||
	    pt_siginfo(task->tid, &info) < 0)
		return false;
	return info.si_code == TRAP_TRACE ||
	       (info.si_code == SI_KERNEL && where != WHERE_ORIGINAL);
}

/* Out of breakpoints and slots. True: it is in the program's own code. */
static bool move_out(struct task *task, const struct space_place *place,
		     struct regs *regs, bool is_trapped)
{
	switch (place->where) {
	case WHERE_ORIGINAL:
		return true;
	case WHERE_TRAPPED:
	case WHERE_AMBIGUOUS:
		if (is_trapped)
			pt_set_pc(task->tid, place->site->in.addr);
		return true;
	case WHERE_SLOT_BEFORE:
	case WHERE_SLOT_AFTER:
		stopped_pc_fixup(task, place->site, regs);
		return true;
	default:
		return false;
	}
}

void lost_thread_detach(struct keeper *k, struct task *task, int status)
{
	struct process *p = task->process;
	struct regs regs;
	int sig = 0;

	if (status >> 16 == PT_EVENT_NONE && WSTOPSIG(status) != PT_SYSCALL_STOP)
		sig = WSTOPSIG(status);
	if (pt_regs(task->tid, &regs) == 0) {
		struct space_place place = task_place(task, &regs);
		bool is_trapped = is_our_trap(task, status, place.where);
		bool is_out = move_out(task, &place, &regs, is_trapped);

		if (is_trapped)
			sig = 0;
		if (is_out && p->space->detours && p->space->detours->is_installed)
			thread_slots_clear_base(task->tid);
	}
	task_unblock_signals(task);
	pt_detach(task->tid, sig);
	task_remove(&k->tasks, task);
	if (!p->ntasks)
		process_remove(&k->tasks, p);
}
