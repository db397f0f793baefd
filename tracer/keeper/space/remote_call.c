/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/remote_call.h"
#include "tracer/keeper/os/faults.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/space/return_stub.h"
#include "vm/base/host/oom.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_USER_DISPATCH
#define SYS_USER_DISPATCH 2 /* linux/signal.h */
#endif

#define SEARCH_MAX (UINT64_C(1) << 20)

/* A syscall instruction in the range where none of our bytes is, or 0. */
static taddr find_in(const struct space *s, struct addr_range r)
{
	static const uint8_t code[] = {REGS_SYSCALL_CODE};
	uint64_t n = min_u64(r.hi.v - r.lo.v, SEARCH_MAX);
	uint8_t *buf = oom_realloc(NULL, n);
	const uint8_t *p = buf;
	taddr found = {0};

	if (mem_read(s->mem, r.lo, buf, n) < 0)
		n = 0;
	while (n && (p = memmem(p, n - (size_t)(p - buf), code, sizeof(code)))) {
		taddr at = taddr_add(r.lo, p - buf);

		if (!bpt_find(&s->bpts, at) && !bpt_find(&s->bpts, taddr_add(at, 1))) {
			found = at;
			break;
		}
		p++;
	}
	free(buf);
	return found;
}

static bool is_there(const struct space *s, taddr at)
{
	const struct addr_range r = {at, taddr_add(at, REGS_SYSCALL_BYTES)};

	return at.v && find_in(s, r).v == at.v;
}

/* In the vdso, which every program has unless it was unmapped; else anywhere. */
static taddr find_syscall(const struct space *s, int tid)
{
	struct procfs_maps maps = {0};
	taddr found = {0};

	/* Where the last one was: what was made by one is undone by one. */
	if (is_there(s, s->syscall))
		return s->syscall;
	if (procfs_maps(tid, &maps) < 0 && procfs_maps(tid, &maps) < 0)
		return found;
	for (size_t i = 0; i < maps.len && !found.v; i++)
		if (maps.data[i].kind == AREA_VDSO)
			found = find_in(s, maps.data[i].range);
	for (size_t i = 0; i < maps.len && !found.v; i++)
		if (maps.data[i].is_executable)
			found = find_in(s, maps.data[i].range);
	procfs_maps_release(&maps);
	return found;
}

/*
 * A filter would judge, and might kill for, calls that the program never made.
 * Suspending it needs CAP_SYS_ADMIN.
 */
static int suspend_filter(struct remote_call *r)
{
	struct procfs_status st;

	if (procfs_status(r->tid, &st) < 0 || !st.has_seccomp)
		return 0;
	if (pt_set_options(r->tid, r->options | PT_OPTION_SUSPEND_SECCOMP) < 0)
		return STATUS_PERM;
	r->is_suspended = true;
	return 0;
}

static void resume_filter(struct remote_call *r)
{
	if (r->is_suspended)
		pt_set_options(r->tid, r->options);
	r->is_suspended = false;
}

/*
 * No signals while calls are made. But a thread may have its calls sent to itself as
 * SIGSYS (PR_SET_SYSCALL_USER_DISPATCH): the kernel would force a blocked one, and take
 * the program's handler away.
 */
static int block_signals(const struct remote_call *r)
{
	return pt_set_mask(r->tid, ~pt_mask_of(SIGSYS));
}

/* From here on the thread finds back by itself, whenever we are gone. */
static int take_return_stub(struct remote_call *r)
{
	struct regs regs = r->saved;
	int status = return_stub_keep(r->mem, r->return_stub, &r->saved, r->mask);

	return_stub_enter(r->return_stub, &regs);
	if (!status)
		status = pt_set_regs(r->tid, &regs);
	if (!status)
		status = block_signals(r);
	/* It is not to be found in there when it is taken once more. */
	if (status && pt_set_regs(r->tid, &r->saved) < 0)
		pt_set_regs(r->tid, &r->saved);
	return status;
}

static int take_thread(struct remote_call *r)
{
	int status = pt_regs(r->tid, &r->saved);

	if (!status)
		status = pt_mask(r->tid, &r->mask);
	if (!status)
		status = suspend_filter(r);
	if (!status)
		status = r->return_stub.v ? take_return_stub(r) : block_signals(r);
	if (status)
		resume_filter(r);
	return status;
}

/* Without it calls are made from the program's own instruction. */
static taddr open_return_stub(struct space *s, int tid, int mem)
{
	struct procfs_maps maps = {0};
	taddr at;

	if (!s->return_stub.v && procfs_maps(tid, &maps) == 0)
		s->return_stub = return_stub_find(&maps, mem);
	procfs_maps_release(&maps);
	at = s->return_stub;
	return at.v && return_stub_is_usable(mem, at) && return_stub_fill(mem, at) == 0
		       ? at
		       : (taddr){0};
}

int remote_call_begin(struct remote_call *r, struct wait_queue *waits,
		      const struct task *task, int mem)
{
	struct space *s = task->process->space;
	int status;

	*r = (struct remote_call){.waits = waits, .tid = task->tid, .mem = mem};
	r->options = process_options(task->process, task->tid);
	r->insn = find_syscall(s, task->tid);
	s->syscall = r->insn;
	if (!r->insn.v)
		return STATUS_UNSUP;
	r->return_stub = open_return_stub(s, task->tid, mem);
	status = take_thread(r);
	/* What was mapped could not be unmapped. */
	if (status && status != STATUS_PERM) {
		if (r->return_stub.v)
			return_stub_clear(mem, r->return_stub);
		r->return_stub.v = 0;
		status = take_thread(r);
	}
	if (status && s->return_stub.v)
		return_stub_clear(mem, s->return_stub);
	return status;
}

/*
 * Whether the call was not made, but sent to the program. Another SIGSYS waits until the
 * thread is given back.
 */
static bool is_dispatched(const struct remote_call *r, int wstatus)
{
	struct procfs_status st;
	siginfo_t info;

	if (wstatus >> 16 != PT_EVENT_NONE || WSTOPSIG(wstatus) != SIGSYS ||
	    pt_siginfo(r->tid, &info) < 0)
		return false;
	if (info.si_code == SYS_USER_DISPATCH)
		return true;
	if (procfs_status(r->tid, &st) == 0 && pt_set_mask(r->tid, ~UINT64_C(0)) == 0)
		syscall(SYS_tgkill, st.tgid, r->tid, SIGSYS);
	return false;
}

/* SIGSTOP cannot be blocked: where it comes in between, it is passed on. */
static int signal_to_pass(int wstatus)
{
	bool is_signal = wstatus >> 16 == PT_EVENT_NONE;

	return is_signal && WSTOPSIG(wstatus) == SIGSTOP ? SIGSTOP : 0;
}

static void note_child(struct remote_call *r, int wstatus)
{
	unsigned long message;

	if ((wstatus >> 16 == PT_EVENT_CLONE || wstatus >> 16 == PT_EVENT_FORK) &&
	    pt_event_message(r->tid, &message) == 0)
		r->child = (int)message;
}

/* Runs on to the next system call stop; other stops on the way are passed. */
static int next_syscall_stop(struct remote_call *r)
{
	int wstatus = 0;

	for (int turns = 0; turns < 64; turns++) {
		int pass = signal_to_pass(wstatus);
		int status = pt_syscall(r->tid, pass);

		/* Tried twice: the result of a call that was begun must be known. */
		if (status)
			status = pt_syscall(r->tid, pass);
		if (!status)
			status = wait_queue_wait_step(r->waits, r->tid, &wstatus);
		if (status < 0)
			return status;
		note_child(r, wstatus);
		if (is_dispatched(r, wstatus))
			return STATUS_UNSUP;
		if (WSTOPSIG(wstatus) == PT_SYSCALL_STOP)
			return 0;
	}
	return STATUS_BUSY;
}

int remote_call_make(struct remote_call *r, long nr, const uint64_t args[6],
		     int64_t *result)
{
	struct regs regs = r->saved;
	int status;

	r->child = 0;
	if (faults_due(FAULTS_CALL, nr)) {
		*result = -errno;
		return 0;
	}
	if (r->return_stub.v)
		return_stub_call(r->return_stub, &regs);
	else
		regs_set_pc(&regs, r->insn.v);
	regs_set_syscall(&regs, nr, args);
	status = pt_set_regs(r->tid, &regs);
	if (!status)
		status = next_syscall_stop(r); /* entry */
	if (!status)
		status = next_syscall_stop(r); /* exit */
	if (!status && pt_regs(r->tid, &regs) < 0)
		status = pt_regs(r->tid, &regs);
	*result = regs_syscall_result(&regs);
	return status;
}

int remote_call_do(struct remote_call *r, long nr, const uint64_t args[6],
		   uint64_t *result)
{
	int64_t got;
	int status = remote_call_make(r, nr, args, &got);

	if (status < 0)
		return status;
	/* EAGAIN: of a process that locks its memory, and may lock no more. */
	if (got < 0 && got > -4096)
		return got == -ENOMEM || got == -EAGAIN ? STATUS_NOMEM : STATUS_IO;
	*result = (uint64_t)got;
	return 0;
}

/*
 * From the stop at the call's end the thread is interrupted once more: only
 * on the way out of PTRACE_EVENT_STOP does the kernel restart the call that
 * it stood in before, as the restored registers say.
 */
static int stop_again(const struct remote_call *r, int *wstatus)
{
	int status = pt_interrupt(r->tid), pass = 0;

	for (int turns = 0; !status && turns < 64; turns++) {
		status = pt_cont(r->tid, pass);
		if (!status)
			status = wait_queue_wait_step(r->waits, r->tid, wstatus);
		if (!status && *wstatus >> 16 == PT_EVENT_STOP)
			break;
		pass = status ? 0 : signal_to_pass(*wstatus);
	}
	return status;
}

int remote_call_end(struct remote_call *r, int *wstatus)
{
	int end, status;

	/* It is still inside the call, and returns by the return stub. */
	if (wait_queue_is_lost(r->waits, r->tid))
		return STATUS_GONE;
	status = stop_again(r, wstatus);
	/* Whatever failed: only if it is dead nothing has to be put back. */
	if (status)
		status = stop_again(r, wstatus);
	end = pt_put_back(r->tid, &r->saved, &r->mask);
	resume_filter(r);
	if (r->return_stub.v)
		return_stub_clear(r->mem, r->return_stub);
	return status ? status : end;
}

int remote_call_map(struct remote_call *r, taddr at, uint64_t size)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
	const uint64_t args[6] = {
		at.v, size, PROT_READ | PROT_EXEC, (uint64_t)flags, UINT64_MAX, 0};
	int64_t got;
	int status = remote_call_make(r, SYS_mmap, args, &got);

	if (status < 0)
		return status;
	if (got < 0 && got > -4096)
		return STATUS_IO;
	if ((uint64_t)got == at.v)
		return 0;
	/* A kernel before 4.17 takes the address for a hint only. */
	remote_call_unmap(r, taddr_of((uint64_t)got), size);
	return STATUS_FULL;
}

int remote_call_unmap(struct remote_call *r, taddr at, uint64_t size)
{
	const uint64_t args[6] = {at.v, size};
	int64_t got = 0;
	int status = remote_call_make(r, SYS_munmap, args, &got);

	return status || got < 0 ? remote_call_make(r, SYS_munmap, args, &got) : 0;
}
