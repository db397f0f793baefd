/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/threads/consumed_stop.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/ptrace.h"

#include <sys/wait.h>

static int as_status(int code)
{
	return code << 8 | 0x7f; /* as waitpid(2) has it */
}

/*
 * Whether it is a trap of ours whose pc has been moved already, and which must not be
 * delivered. After an int3 of the program, the byte before the pc is that int3.
 */
static bool is_spent_trap(const struct task *task, const siginfo_t *info)
{
	const struct space *s = task->process->space;
	struct space_place place;
	struct regs regs;
	uint8_t byte = 0;

	if (info->si_code == TRAP_TRACE)
		return true;
	if (info->si_code != SI_KERNEL || pt_regs(task->tid, &regs) < 0)
		return false;
	place = task_place(task, &regs);
	if (place.site)
		return place.site->in.addr.v + 1 != regs_pc(&regs);
	return mem_read(s->mem, taddr_of(regs_pc(&regs) - 1), &byte, 1) < 0 ||
	       byte != BPT_BYTE;
}

/* The status of the stop, from its siginfo, which event stops have as well. */
static int current_stop(const struct task *task, int *status)
{
	siginfo_t info;
	bool is_event, is_trap;

	if (pt_siginfo(task->tid, &info) < 0 && pt_siginfo(task->tid, &info) < 0)
		return STATUS_GONE;
	is_event = info.si_code > 0xff && (info.si_code & 0x7f) == info.si_signo;
	is_trap = info.si_signo == SIGTRAP && !is_event;
	if (is_event || (is_trap && info.si_code == PT_SYSCALL_STOP))
		*status = as_status(info.si_code);
	else if (is_trap && is_spent_trap(task, &info))
		*status = as_status(PT_EVENT_STOP << 8 | SIGTRAP);
	else
		*status = as_status(info.si_signo);
	return 0;
}

bool consumed_stop_status(const struct keeper *k, const struct task *task, int *status)
{
	siginfo_t news = {0};

	if (wait_queue_has(&k->waits, task->tid) || procfs_state(task->tid) != 't' ||
	    waitid(P_PID, (id_t)task->tid, &news,
		   WSTOPPED | WEXITED | WNOHANG | WNOWAIT | __WALL) < 0 ||
	    news.si_pid)
		return false;
	return current_stop(task, status) == 0;
}
