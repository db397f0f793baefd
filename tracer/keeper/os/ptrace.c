/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/os/faults.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/user.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
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
#define VECTORS	    16

/* One for all, as only one thread makes requests. */
static struct pt_failures *failures;

static const char *request_name(enum __ptrace_request r)
{
	static const struct {
		enum __ptrace_request request;
		const char *name;
	} names[] = {
#define NAMED(request) {request, #request}
		NAMED(PTRACE_SEIZE),	   NAMED(PTRACE_SETOPTIONS),
		NAMED(PTRACE_INTERRUPT),   NAMED(PTRACE_LISTEN),
		NAMED(PTRACE_CONT),	   NAMED(PTRACE_SINGLESTEP),
		NAMED(PTRACE_SYSCALL),	   NAMED(PTRACE_DETACH),
		NAMED(PTRACE_GETREGS),	   NAMED(PTRACE_SETREGS),
		NAMED(PTRACE_POKEUSER),	   NAMED(PTRACE_GETEVENTMSG),
		NAMED(PTRACE_GETSIGINFO),  NAMED(PTRACE_SETSIGINFO),
		NAMED(PTRACE_GETSIGMASK),  NAMED(PTRACE_SETSIGMASK),
		NAMED(PTRACE_PEEKSIGINFO), NAMED(PTRACE_GET_SYSCALL_INFO),
		NAMED(PTRACE_GETREGSET),
#undef NAMED
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (names[i].request == r)
			return names[i].name;
	return "a ptrace request";
}

static void note_failure(enum __ptrace_request r, int tid, int error)
{
	bool is_last;

	if (!failures || failures->n == PT_FAILURES_MAX)
		return;
	is_last = failures->n == PT_FAILURES_MAX - 1;
	failures->data[failures->n++] = (struct pt_failure){
		.tid = is_last ? 0 : tid, .request = request_name(r), .error = error};
}

void pt_note_failures(struct pt_failures *to)
{
	failures = to;
}

bool pt_failures_next(struct pt_failures *f, struct pt_failure *out)
{
	if (!f->n)
		return false;
	*out = f->data[--f->n];
	return true;
}

/* As ptrace(2). */
static long make_request(enum __ptrace_request r, int tid, void *addr, void *data)
{
	long result = -1;

	if (!faults_due(FAULTS_PTRACE, (long)r))
		result = ptrace(r, tid, addr, data);
	if (result == -1) {
		int error = errno;

		note_failure(r, tid, error);
		errno = error;
	}
	return result;
}

static int request(enum __ptrace_request r, int tid, void *addr, const void *data)
{
	if (make_request(r, tid, addr, (void *)(uintptr_t)data) != -1)
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
	return request(PTRACE_SEIZE, tid, NULL, pointer(option_bits(options)));
}

int pt_set_options(int tid, unsigned options)
{
	return request(PTRACE_SETOPTIONS, tid, NULL, pointer(option_bits(options)));
}

int pt_interrupt(int tid)
{
	return request(PTRACE_INTERRUPT, tid, NULL, NULL);
}

int pt_listen(int tid)
{
	return request(PTRACE_LISTEN, tid, NULL, NULL);
}

int pt_cont(int tid, int sig)
{
	return request(PTRACE_CONT, tid, NULL, pointer((unsigned)sig));
}

int pt_step(int tid, int sig)
{
	return request(PTRACE_SINGLESTEP, tid, NULL, pointer((unsigned)sig));
}

int pt_syscall(int tid, int sig)
{
	return request(PTRACE_SYSCALL, tid, NULL, pointer((unsigned)sig));
}

int pt_detach(int tid, int sig)
{
	int status = request(PTRACE_DETACH, tid, NULL, pointer((unsigned)sig));

	return status ? request(PTRACE_DETACH, tid, NULL, pointer((unsigned)sig)) : 0;
}

int pt_call_stop(int tid, bool *is_entry)
{
	struct ptrace_syscall_info info = {0};
	int status =
		request(PTRACE_GET_SYSCALL_INFO, tid, pointer(sizeof(info)), &info);

	*is_entry = info.op == PTRACE_SYSCALL_INFO_ENTRY;
	return status;
}

/* The members of struct regs whose names in the kernel's struct are the same. */
#define SAME_NAMES(X)                                                                  \
	X(rax);                                                                        \
	X(rbx);                                                                        \
	X(rcx);                                                                        \
	X(rdx);                                                                        \
	X(rsi);                                                                        \
	X(rdi);                                                                        \
	X(rbp);                                                                        \
	X(r8);                                                                         \
	X(r9);                                                                         \
	X(r10);                                                                        \
	X(r11);                                                                        \
	X(r12);                                                                        \
	X(r13);                                                                        \
	X(r14);                                                                        \
	X(r15);                                                                        \
	X(rsp);                                                                        \
	X(rip);                                                                        \
	X(orig_rax);                                                                   \
	X(cs);                                                                         \
	X(ss);                                                                         \
	X(ds);                                                                         \
	X(es);                                                                         \
	X(fs);                                                                         \
	X(gs);                                                                         \
	X(fs_base);                                                                    \
	X(gs_base)

int pt_regs(int tid, struct regs *regs)
{
	struct user_regs_struct all = {0};
	int status = request(PTRACE_GETREGS, tid, NULL, &all);

	if (status)
		return status;
	regs->flags = all.eflags;
#define COPY(name) regs->name = all.name
	SAME_NAMES(COPY);
#undef COPY
	return 0;
}

/* The C library's ptrace() cannot tell a failure from a pc of -1. */
int pt_pc(int tid, taddr *pc)
{
	size_t offset = offsetof(struct user, regs.rip);

	if (faults_due(FAULTS_PTRACE, (long)PTRACE_PEEKUSER) ||
	    syscall(SYS_ptrace, PTRACE_PEEKUSER, tid, offset, &pc->v) < 0)
		return errno == ESRCH ? STATUS_GONE : STATUS_IO;
	return 0;
}

int pt_set_regs(int tid, const struct regs *regs)
{
	struct user_regs_struct all = {0};

	all.eflags = regs->flags;
#define COPY(name) all.name = regs->name
	SAME_NAMES(COPY);
#undef COPY
	return request(PTRACE_SETREGS, tid, NULL, &all);
}

_Static_assert(sizeof(struct user_regs_struct) == PT_CORE_REGS * sizeof(uint64_t),
	       "the registers of a core");

void pt_core_regs(const struct regs *regs, uint64_t out[PT_CORE_REGS])
{
	struct user_regs_struct all = {0};

	all.eflags = regs->flags;
#define COPY(name) all.name = regs->name
	SAME_NAMES(COPY);
#undef COPY
	memcpy(out, &all, sizeof(all));
}

int pt_regset(int tid, unsigned note, void *buf, size_t *n)
{
	struct iovec part = {buf, *n};
	int status = request(PTRACE_GETREGSET, tid, pointer(note), &part);

	*n = status ? 0 : part.iov_len;
	return status;
}

int pt_vector_arg(int tid, uint64_t i, uint64_t *value)
{
	struct user_fpregs_struct all = {0};
	int status;

	if (i >= VECTORS)
		return STATUS_RANGE;
	status = request(PTRACE_GETFPREGS, tid, NULL, &all);
	if (!status)
		memcpy(value, (const char *)all.xmm_space + 16 * i, sizeof(*value));
	return status;
}

int pt_put_back(int tid, const struct regs *regs, const uint64_t *mask)
{
	int status = 0;

	if (mask && pt_set_mask(tid, *mask) < 0 && pt_set_mask(tid, *mask) < 0)
		status = STATUS_GONE;
	if (regs && pt_set_regs(tid, regs) < 0 && pt_set_regs(tid, regs) < 0)
		status = STATUS_GONE;
	return status;
}

int pt_set_pc(int tid, taddr pc)
{
	return request(PTRACE_POKEUSER, tid, pointer(offsetof(struct user, regs.rip)),
		       pointer(pc.v));
}

/* 0 if it cannot be read. */
static int64_t peek_user(int tid, size_t offset)
{
	long word;

	errno = 0;
	word = ptrace(PTRACE_PEEKUSER, tid, pointer(offset), NULL);
	return errno ? 0 : word;
}

int64_t pt_call_result(int tid)
{
	int64_t result = peek_user(tid, offsetof(struct user, regs.rax));

	return peek_user(tid, offsetof(struct user, regs.orig_rax)) < 0 ? 0 : result;
}

int pt_set_call_result(int tid, int64_t result)
{
	return request(PTRACE_POKEUSER, tid, pointer(offsetof(struct user, regs.rax)),
		       pointer((uint64_t)result));
}

int pt_set_tcb_base(int tid, taddr base)
{
	return request(PTRACE_POKEUSER, tid,
		       pointer(offsetof(struct user, regs.gs_base)), pointer(base.v));
}

int pt_event_message(int tid, unsigned long *message)
{
	return request(PTRACE_GETEVENTMSG, tid, NULL, message);
}

int pt_siginfo(int tid, siginfo_t *info)
{
	return request(PTRACE_GETSIGINFO, tid, NULL, info);
}

int pt_set_siginfo(int tid, const siginfo_t *info)
{
	return request(PTRACE_SETSIGINFO, tid, NULL, info);
}

int pt_mask(int tid, uint64_t *mask)
{
	return request(PTRACE_GETSIGMASK, tid, pointer(sizeof(*mask)), mask);
}

int pt_set_mask(int tid, uint64_t mask)
{
	return request(PTRACE_SETSIGMASK, tid, pointer(sizeof(mask)), &mask);
}

uint64_t pt_mask_but_faults(void)
{
	static const int open[] = {SIGTRAP, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
	uint64_t mask = ~UINT64_C(0);

	for (size_t i = 0; i < ARRAY_LEN(open); i++)
		mask &= ~(UINT64_C(1) << (open[i] - 1));
	return mask;
}

bool pt_is_queued(int tid, int sig, siginfo_t *info)
{
	siginfo_t batch[QUEUE_BATCH];
	struct __ptrace_peeksiginfo_args args = {.nr = QUEUE_BATCH};

	for (;;) {
		long n = make_request(PTRACE_PEEKSIGINFO, tid, &args, batch);

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
