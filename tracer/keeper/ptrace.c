/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/ptrace.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <linux/ptrace.h>

static_assert((int)PT_EVENT_FORK == PTRACE_EVENT_FORK, "event");
static_assert((int)PT_EVENT_VFORK == PTRACE_EVENT_VFORK, "event");
static_assert((int)PT_EVENT_CLONE == PTRACE_EVENT_CLONE, "event");
static_assert((int)PT_EVENT_EXEC == PTRACE_EVENT_EXEC, "event");
static_assert((int)PT_EVENT_VFORK_DONE == PTRACE_EVENT_VFORK_DONE, "event");
static_assert((int)PT_EVENT_EXIT == PTRACE_EVENT_EXIT, "event");
static_assert((int)PT_EVENT_SECCOMP == PTRACE_EVENT_SECCOMP, "event");
static_assert((int)PT_EVENT_STOP == PTRACE_EVENT_STOP, "event");

#define QUEUE_BATCH 32

static int result(long r)
{
	if (r != -1)
		return 0;
	return errno == ESRCH ? STATUS_GONE : STATUS_IO;
}

static void *pointer(uint64_t v)
{
	return (void *)(uintptr_t)v;
}

static unsigned long option_bits(unsigned options)
{
	unsigned long bits = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
			     PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC |
			     PTRACE_O_TRACESYSGOOD;

	if (options & PT_OPTION_EXITKILL)
		bits |= PTRACE_O_EXITKILL;
	if (options & PT_OPTION_SUSPEND_SECCOMP)
		bits |= PTRACE_O_SUSPEND_SECCOMP;
	if (options & PT_OPTION_EXIT)
		bits |= PTRACE_O_TRACEEXIT;
	return bits;
}

int pt_seize(int tid, unsigned options)
{
	return result(ptrace(PTRACE_SEIZE, tid, NULL, pointer(option_bits(options))));
}

int pt_set_options(int tid, unsigned options)
{
	return result(
		ptrace(PTRACE_SETOPTIONS, tid, NULL, pointer(option_bits(options))));
}

int pt_interrupt(int tid)
{
	return result(ptrace(PTRACE_INTERRUPT, tid, NULL, NULL));
}

int pt_listen(int tid)
{
	return result(ptrace(PTRACE_LISTEN, tid, NULL, NULL));
}

int pt_cont(int tid, int sig)
{
	return result(ptrace(PTRACE_CONT, tid, NULL, pointer((unsigned)sig)));
}

int pt_step(int tid, int sig)
{
	return result(ptrace(PTRACE_SINGLESTEP, tid, NULL, pointer((unsigned)sig)));
}

int pt_syscall(int tid, int sig)
{
	return result(ptrace(PTRACE_SYSCALL, tid, NULL, pointer((unsigned)sig)));
}

int pt_detach(int tid, int sig)
{
	return result(ptrace(PTRACE_DETACH, tid, NULL, pointer((unsigned)sig)));
}

int pt_call_stop(int tid, bool *is_entry)
{
	struct ptrace_syscall_info info = {0};
	long n = ptrace(PTRACE_GET_SYSCALL_INFO, tid, pointer(sizeof(info)), &info);

	*is_entry = info.op == PTRACE_SYSCALL_INFO_ENTRY;
	return result(n);
}

int pt_regs(int tid, struct user_regs_struct *regs)
{
	return result(ptrace(PTRACE_GETREGS, tid, NULL, regs));
}

int pt_set_regs(int tid, const struct user_regs_struct *regs)
{
	return result(ptrace(PTRACE_SETREGS, tid, NULL, regs));
}

int pt_set_pc(int tid, uint64_t pc)
{
	return result(ptrace(PTRACE_POKEUSER, tid,
			     pointer(offsetof(struct user, regs.rip)), pointer(pc)));
}

int pt_set_gs_base(int tid, uint64_t base)
{
	return result(ptrace(PTRACE_POKEUSER, tid,
			     pointer(offsetof(struct user, regs.gs_base)),
			     pointer(base)));
}

int pt_event_message(int tid, unsigned long *message)
{
	return result(ptrace(PTRACE_GETEVENTMSG, tid, NULL, message));
}

int pt_siginfo(int tid, siginfo_t *info)
{
	return result(ptrace(PTRACE_GETSIGINFO, tid, NULL, info));
}

int pt_set_siginfo(int tid, const siginfo_t *info)
{
	return result(ptrace(PTRACE_SETSIGINFO, tid, NULL, info));
}

int pt_mask(int tid, uint64_t *mask)
{
	return result(ptrace(PTRACE_GETSIGMASK, tid, pointer(sizeof(*mask)), mask));
}

int pt_set_mask(int tid, uint64_t mask)
{
	return result(ptrace(PTRACE_SETSIGMASK, tid, pointer(sizeof(mask)), &mask));
}

bool pt_is_queued(int tid, int sig, siginfo_t *info)
{
	siginfo_t batch[QUEUE_BATCH];
	struct __ptrace_peeksiginfo_args args = {.nr = QUEUE_BATCH};

	for (;;) {
		long n = ptrace(PTRACE_PEEKSIGINFO, tid, &args, batch);

		for (long i = 0; i < n; i++) {
			if (batch[i].si_signo != sig)
				continue;
			*info = batch[i];
			return true;
		}
		if (n < QUEUE_BATCH)
			return false;
		args.off += QUEUE_BATCH;
	}
}
