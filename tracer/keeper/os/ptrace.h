/* SPDX-License-Identifier: MIT */
/*
 * The ptrace(2) requests that the keeper uses. Only the thread that seized a target may
 * make them. Unless a comment says otherwise the target's thread must be in a stop that
 * has been waited for (or at least seen), and each function returns 0, STATUS_GONE
 * (ESRCH: the thread has died, or is not stopped) or STATUS_IO. A thread can die between
 * any two requests, so STATUS_GONE is an event, not an error: its exit status follows
 * through waitpid(2).
 */
#ifndef TRACER_KEEPER_OS_PTRACE_H
#define TRACER_KEEPER_OS_PTRACE_H

#include "vm/base/regs.h"
#include "vm/base/status.h"
#include "vm/base/taddr.h"
#include <signal.h>
#include <stddef.h>

/* PTRACE_EVENT_*: in bits 16 on of a status of waitpid(2). */
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

/* The signal of a stop at a system call (PTRACE_O_TRACESYSGOOD). */
#define PT_SYSCALL_STOP (SIGTRAP | 0x80)

enum pt_option {
	PT_OPTION_EXITKILL = 1,	       /* the thread dies with the keeper */
	PT_OPTION_SUSPEND_SECCOMP = 2, /* its filters do not judge; for root only */
	PT_OPTION_EXIT = 4,	       /* PT_EVENT_EXIT */
};

/* Begins tracing a thread, which runs on. On failure errno says why. */
int pt_seize(int tid, unsigned options);
/* options: enum pt_option; those for events of children and exec are always set. */
int pt_set_options(int tid, unsigned options);
/* The thread, running or stopped, gets a PT_EVENT_STOP as soon as it can stop. */
int pt_interrupt(int tid);
/* Leaves a thread in its group stop, but lets it see SIGCONT. */
int pt_listen(int tid);
/* Each resumes the thread, and delivers sig unless it is 0. */
int pt_cont(int tid, int sig);
int pt_step(int tid, int sig);
int pt_syscall(int tid, int sig);
/* Tried twice: a thread that is not detached would stay stopped. */
int pt_detach(int tid, int sig);

/* Whether a stop at a system call is the one at its entry, else at its exit. */
int pt_call_stop(int tid, bool *is_entry);
int pt_regs(int tid, struct regs *regs);
/* Cheaper than pt_regs(). A failure is not noted: the caller asks for all then. */
int pt_pc(int tid, taddr *pc);
int pt_set_regs(int tid, const struct regs *regs);
/* The registers in the form of a core (NT_PRSTATUS), PT_CORE_REGS words. */
#define PT_CORE_REGS 27
void pt_core_regs(const struct regs *regs, uint64_t out[PT_CORE_REGS]);
/* A set of registers by its note (NT_FPREGSET ...); *n: room in buf, and what it took. */
int pt_regset(int tid, unsigned note, void *buf, size_t *n);
/* The low word of the vector register that argument i is in; else STATUS_RANGE. */
int pt_vector_arg(int tid, uint64_t i, uint64_t *value);
/* Cheaper than pt_set_regs(). */
int pt_set_pc(int tid, taddr pc);
/* What the system call returns that the thread is in; 0: it is in none. */
int64_t pt_call_result(int tid);
int pt_set_call_result(int tid, int64_t result);
/* Sets regs_tcb_base(). */
int pt_set_tcb_base(int tid, taddr base);
int pt_event_message(int tid, unsigned long *message);
int pt_siginfo(int tid, siginfo_t *info);
int pt_set_siginfo(int tid, const siginfo_t *info);
/* The mask of blocked signals: bit n - 1 is signal n. */
int pt_mask(int tid, uint64_t *mask);
int pt_set_mask(int tid, uint64_t mask);
/*
 * Restores what the keeper changed for a while: registers and mask, each unless NULL.
 * Each is tried twice. STATUS_GONE if one failed.
 */
int pt_put_back(int tid, const struct regs *regs, const uint64_t *mask);
/*
 * A mask of all signals but those that a single instruction can raise: the trap of a
 * step, and faults. If one of these is blocked when the kernel forces it, the kernel
 * resets its handler (force_sig_info_to_task()).
 */
uint64_t pt_mask_but_faults(void);

/* With this signal alone. */
static inline uint64_t pt_mask_of(int sig)
{
	return UINT64_C(1) << (sig - 1);
}
/* Whether sig is pending for the thread itself; *info: of the first one. */
bool pt_is_queued(int tid, int sig, siginfo_t *info);

#define PT_FAILURES_MAX 64

struct pt_failure {
	int tid; /* 0: of some thread, more failed than are noted */
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
 * the caller owns; NULL: no longer. A thread that a failed request should have resumed
 * stays stopped, so the caller must look at the failures after each stop it handles. The
 * last entry there is room for has no thread.
 */
void pt_note_failures(struct pt_failures *to);
/* Takes out one failure; false when there is none. */
bool pt_failures_next(struct pt_failures *f, struct pt_failure *out);

#endif
