/* SPDX-License-Identifier: MIT */
/*
 * The ptrace(2) requests that the keeper uses, each with a plain result: 0,
 * STATUS_GONE when the thread has died or is not stopped, or STATUS_IO. Every
 * thread can die between any two of them, so callers treat STATUS_GONE as
 * news, not as a failure: its exit status arrives through waitpid.
 */
#ifndef TRACER_KEEPER_OS_PTRACE_H
#define TRACER_KEEPER_OS_PTRACE_H

#include "vm/base/regs.h"
#include "vm/base/status.h"
#include "vm/base/taddr.h"
#include <signal.h>

/* PTRACE_EVENT_*; ptrace.c proves that they are the same. */
enum pt_event {
	PT_EVENT_NONE = 0,
	PT_EVENT_FORK = 1,
	PT_EVENT_VFORK = 2,
	PT_EVENT_CLONE = 3,
	PT_EVENT_EXEC = 4,
	PT_EVENT_VFORK_DONE = 5,
	PT_EVENT_EXIT = 6,
	PT_EVENT_SECCOMP = 7,
	PT_EVENT_STOP = 128,
};

/* Signal of a system call's stop, distinct by PTRACE_O_TRACESYSGOOD. */
#define PT_SYSCALL_STOP (SIGTRAP | 0x80)

enum pt_option {
	PT_OPTION_EXITKILL = 1,	       /* the thread dies with the keeper */
	PT_OPTION_SUSPEND_SECCOMP = 2, /* its filters do not judge; for root only */
	PT_OPTION_EXIT = 4,	       /* PT_EVENT_EXIT */
};

/* Begins tracing without a stop; errno tells why it failed. */
int pt_seize(int tid, unsigned options);
/* Of a stopped thread. */
int pt_set_options(int tid, unsigned options);
int pt_interrupt(int tid);
int pt_listen(int tid);
/* Each resumes a stopped thread, delivering sig unless it is 0. */
int pt_cont(int tid, int sig);
int pt_step(int tid, int sig);
int pt_syscall(int tid, int sig);
int pt_detach(int tid, int sig);

/* Which of the two a system call's stop is. */
int pt_call_stop(int tid, bool *is_entry);
int pt_regs(int tid, struct regs *regs);
int pt_set_regs(int tid, const struct regs *regs);
/* The low word of the vector register that argument i is in; else STATUS_RANGE. */
int pt_vector_arg(int tid, uint64_t i, uint64_t *value);
/* Cheaper than pt_set_regs(). */
int pt_set_pc(int tid, taddr pc);
/* Sets regs_tcb_base(). */
int pt_set_tcb_base(int tid, taddr base);
int pt_event_message(int tid, unsigned long *message);
int pt_siginfo(int tid, siginfo_t *info);
int pt_set_siginfo(int tid, const siginfo_t *info);
/* Bit n - 1 is signal n. */
int pt_mask(int tid, uint64_t *mask);
int pt_set_mask(int tid, uint64_t mask);
/*
 * What the keeper changed for a while and the program must have again: registers, mask
 * or both, tried twice.
 */
int pt_put_back(int tid, const struct regs *regs, const uint64_t *mask);
/*
 * All signals but those that a single instruction can raise: its step's own trap and
 * faults. If one of these is blocked when it is forced, the kernel resets its handler.
 */
uint64_t pt_mask_but_faults(void);
/* Whether sig waits in the thread's own queue, and its first siginfo. */
bool pt_is_queued(int tid, int sig, siginfo_t *info);

#define PT_FAILURES_MAX 64

struct pt_failure {
	int tid; /* 0: more than are remembered, of any thread */
	const char *request;
	int error;
};

/* Requests that failed, the last one taken out first. A zeroed struct is empty. */
struct pt_failures {
	struct pt_failure data[PT_FAILURES_MAX];
	uint32_t n;
};

/*
 * From now on every request of this header that fails is noted in *to as well, which
 * the caller owns; NULL: no more. A thread that a failed request should have resumed
 * does not run on by itself: who serves stops looks at these failures after each one.
 * When there is room for one more only, it is noted without a thread.
 */
void pt_note_failures(struct pt_failures *to);
/* Takes out one failure; false when there is none. */
bool pt_failures_next(struct pt_failures *f, struct pt_failure *out);

#endif
