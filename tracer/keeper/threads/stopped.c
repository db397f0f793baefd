/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/threads/stopped.h"
#include "tracer/keeper/threads/stub_exit.h"
#include "tracer/keeper/os/cut_file.h"
#include "tracer/keeper/os/ptrace.h"
#include "vm/base/host/clock.h"

#include <string.h>
#include <sys/wait.h>

static bool is_repeated(const struct insn *in)
{
	for (int i = 0; i < in->len; i++) {
		if (in->bytes[i] == 0xf2 || in->bytes[i] == 0xf3)
			return true;
		/* the other legacy prefixes may come before */
		if (!strchr("\x66\x67\x2e\x36\x3e\x26\x64\x65", in->bytes[i]))
			return false;
	}
	return false;
}

static bool is_caught(int tid, int sig)
{
	struct procfs_status st;

	return procfs_status(tid, &st) == 0 && st.caught >> (sig - 1) & 1;
}

bool stopped_cut_call(struct task *task, int status, struct regs *regs)
{
	bool is_exit = WSTOPSIG(status) == PT_SYSCALL_STOP;
	struct cut_stop stop = {
		.is_exit = is_exit, .tid = task->tid, .file_is = cut_file_is};

	if (!cut_call_concerns(&task->cut, regs))
		return false;
	stop.now = clock_now_ns();
	stop.is_caught = !is_exit && status >> 16 == PT_EVENT_NONE &&
			 is_caught(task->tid, WSTOPSIG(status));
	return cut_call_stopped(&task->cut, &stop, regs) &&
	       pt_set_regs(task->tid, regs) == 0;
}

/* There the result of the call is none yet. */
static bool is_at_entry(const struct task *task, int status)
{
	bool is_entry;

	return WSTOPSIG(status) == PT_SYSCALL_STOP &&
	       (pt_call_stop(task->tid, &is_entry) < 0 || is_entry);
}

static int fetch_regs(struct task *task, struct stopped *s)
{
	struct space_place place;
	int status = pt_regs(task->tid, &s->regs);

	if (status < 0)
		return status;
	s->is_in_call = regs_syscall(&s->regs) >= 0;
	place = task_place(task, &s->regs);
	if (place.where < WHERE_STUB_PROLOGUE && !is_at_entry(task, s->in.status) &&
	    stopped_cut_call(task, s->in.status, &s->regs))
		place = task_place(task, &s->regs);
	s->in.where = place.where;
	s->site = place.site;
	s->detour = place.detour;
	s->in.is_stub_begin = s->detour && regs_pc(&s->regs) == s->detour->stub.v;
	s->in.result = regs_syscall_result(&s->regs);
	s->in.is_lengthy =
		place.where == WHERE_SLOT_BEFORE &&
		(s->site->in.kind == INSN_SYSCALL || is_repeated(&s->site->in));
	return 0;
}

static int fetch_code(struct task *task, struct stopped *s)
{
	siginfo_t info;
	int status = pt_siginfo(task->tid, &info);

	s->in.code = status ? 0 : info.si_code;
	return status;
}

int stopped_fetch(struct task *task, struct stopped *s)
{
	unsigned have = 0, needs;
	int status = 0;

	while (!status && (needs = stop_needs(&s->in, have))) {
		if (needs & STOP_NEEDS_REGS)
			status = fetch_regs(task, s);
		if (!status && (needs & STOP_NEEDS_CODE))
			status = fetch_code(task, s);
		have |= needs;
	}
	return status;
}

/*
 * Registers tell whether this is the second hit for one instruction (task_has_fired()),
 * and whether the thread is about to make a call again that was cut short.
 */
bool stopped_fetch_hit(struct task *task, struct stopped *s)
{
	struct bpt_site *site;
	taddr pc;

	if (task->needs_regs || task->fired.at.v || task->cut.is_on ||
	    s->in.life != LIFE_KNOWN || s->in.status != (SIGTRAP << 8 | 0x7f) ||
	    pt_pc(task->tid, &pc) < 0)
		return false;
	site = bpt_find(&task->process->space->bpts, taddr_add(pc, -1));
	if (!site)
		return false;
	s->in.where = site->in.len == 1 ? WHERE_AMBIGUOUS : WHERE_TRAPPED;
	if (s->in.where == WHERE_AMBIGUOUS &&
	    (fetch_code(task, s) < 0 || s->in.code != SI_KERNEL))
		return false;
	s->site = site;
	s->has_pc_only = true;
	regs_set_pc(&s->regs, pc.v);
	return true;
}

int stopped_pc_fixup(struct task *task, const struct bpt_site *site, struct regs *regs)
{
	step_pc_fixup(&site->in, site->slot.at, site->slot.len, regs);
	return pt_set_regs(task->tid, regs);
}

void stopped_note_fired(struct task *task, const struct stopped *s)
{
	bool is_call = s->site->in.kind == INSN_SYSCALL;

	task_note_fired(task, s->site->in.addr, &s->regs, is_call);
}

int stopped_move_pc(struct task *task, struct stopped *s, enum stop_pc pc)
{
	switch (pc) {
	case PC_SITE:
		stopped_note_fired(task, s);
		return pt_set_pc(task->tid, s->site->in.addr);
	case PC_NEXT:
		return stopped_pc_fixup(task, s->site, &s->regs);
	case PC_GUARD:
		return stub_exit_guard(task);
	case PC_KEEP:
	case PC_FINISH_SLOT:
	case PC_EXIT_STUB:
	case PC_DEMOTE:
		break;
	}
	return 0;
}

bool stopped_dumps_core(int sig)
{
	switch (sig) {
	case SIGQUIT:
	case SIGILL:
	case SIGTRAP:
	case SIGABRT:
	case SIGBUS:
	case SIGFPE:
	case SIGSEGV:
	case SIGXCPU:
	case SIGXFSZ:
	case SIGSYS:
		return true;
	default:
		return false;
	}
}

void stopped_restore_before_core(struct task *task, int sig)
{
	struct space *s = task->process->space;
	struct procfs_status st;

	if (!stopped_dumps_core(sig) || procfs_status(task->tid, &st) < 0)
		return;
	if ((st.caught | st.ignored) >> (sig - 1) & 1)
		return;
	space_restore(s, task->tid, s->mem);
}

bool stopped_tells_pc(int sig)
{
	return sig == SIGILL || sig == SIGFPE;
}

int stopped_leave(struct keeper *k, struct task *task, enum stop_pc pc, int sig)
{
	siginfo_t info;
	bool has_info = sig && pt_siginfo(task->tid, &info) == 0;
	int status = STATUS_FAULT;

	if (pc == PC_EXIT_STUB)
		status = stub_exit_run(k, task);
	if (status == STATUS_FAULT)
		status = stub_exit_demote(k, task);
	if (status == STATUS_GONE)
		return status;
	/* The fault's address is in the stub: the program gets that of its own code. */
	if (has_info && pc == PC_DEMOTE && stopped_tells_pc(sig)) {
		struct regs regs;

		if (pt_regs(task->tid, &regs) == 0)
			info.si_addr = (void *)(uintptr_t)regs_pc(&regs);
	}
	if (has_info)
		pt_set_siginfo(task->tid, &info);
	return 0;
}

/*
 * If system calls are to be made in the thread, it must come to another
 * PTRACE_EVENT_STOP: the caller continues it and settles that stop.
 */
static int settle_outside(struct keeper *k, struct task *task, int status,
			  const struct stop_verdict *v)
{
	enum stop_pc pc = v->pc == PC_DEMOTE ? PC_DEMOTE : PC_EXIT_STUB;

	if (stopped_leave(k, task, pc, v->signal) == STATUS_GONE)
		return STATUS_GONE;
	if (status >> 16 != PT_EVENT_STOP) {
		stopped_restore_before_core(task, v->signal);
		return 0;
	}
	return pt_interrupt(task->tid) == 0 ? STATUS_BUSY : STATUS_GONE;
}

int stopped_settle(struct keeper *k, struct task *task, int status, int *sig)
{
	struct stopped s = {.in = {.status = status, .life = LIFE_KNOWN}};
	struct stop_verdict v;
	enum stop_pc pc;
	siginfo_t info;

	*sig = 0;
	if (fetch_regs(task, &s) < 0 ||
	    (cut_call_leave(&task->cut, &s.regs) &&
	     pt_set_regs(task->tid, &s.regs) < 0) ||
	    stopped_fetch(task, &s) < 0)
		return STATUS_GONE;
	v = stop_classify(&s.in);
	if (status >> 16 == PT_EVENT_STOP &&
	    (s.in.where == WHERE_TRAPPED || s.in.where == WHERE_AMBIGUOUS) &&
	    pt_is_queued(task->tid, SIGTRAP, &info) && info.si_code == SI_KERNEL)
		return STATUS_BUSY;
	pc = stop_settle(s.in.where, v.event == STOP_HIT);
	*sig = v.signal;
	if (pc == PC_EXIT_STUB)
		return settle_outside(k, task, status, &v);
	stopped_restore_before_core(task, v.signal);
	return stopped_move_pc(task, &s, pc) < 0 ? STATUS_GONE : 0;
}
