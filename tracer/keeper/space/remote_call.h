/* SPDX-License-Identifier: MIT */
/*
 * System calls that a stopped thread of the target makes for the keeper. The thread
 * enters and leaves them through system call stops. It is never single-stepped: the
 * trap of a step would reset a SIGTRAP handler that the program blocks or ignores. Its
 * signals stay blocked, and so pending, meanwhile. In the end it is where it was, in a
 * PTRACE_EVENT_STOP before its next user instruction. If the keeper dies in between,
 * the thread gets there by itself (return_stub.h).
 */
#ifndef TRACER_KEEPER_SPACE_REMOTE_CALL_H
#define TRACER_KEEPER_SPACE_REMOTE_CALL_H

#include "tracer/keeper/space/task.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/os/wait_queue.h"

struct remote_call {
	struct wait_queue *waits;
	int tid;
	unsigned options;  /* of the thread, restored at the end */
	bool is_suspended; /* its seccomp filter */
	taddr insn;	   /* a syscall instruction of the program */
	taddr return_stub; /* where calls are made from; 0: from insn */
	int mem;
	uint64_t mask;
	struct regs saved;
	int child; /* of the last call that made one, as the keeper sees it; 0: none */
};

/*
 * Prepares the thread, which must be in PTRACE_EVENT_STOP. mem is of its memory, which
 * for a fork child is not that of its space. STATUS_GONE: it died. STATUS_UNSUP: there
 * is no syscall instruction to use. STATUS_PERM: it has a seccomp filter, and the
 * keeper may not suspend it.
 */
int remote_call_begin(struct remote_call *r, struct wait_queue *waits,
		      const struct task *task, int mem);
/*
 * Makes one call: 0, and *result is what the kernel returned, which may be a negative
 * errno value. Else the call was not made, or its result is not known. STATUS_UNSUP: the
 * program gets its calls itself (PR_SET_SYSCALL_USER_DISPATCH), and would get this one.
 */
int remote_call_make(struct remote_call *r, long nr, const uint64_t args[6],
		     int64_t *result);
/*
 * One call that is to succeed: 0 and its result, STATUS_NOMEM if a limit or the kernel
 * has no more memory or addresses, STATUS_IO for any other error, or as above.
 */
int remote_call_do(struct remote_call *r, long nr, const uint64_t args[6],
		   uint64_t *result);
/*
 * Restores the registers and the signal mask; *status is of the new stop, as of
 * waitpid(2). STATUS_GONE: it died.
 */
int remote_call_end(struct remote_call *r, int *status);

/*
 * Maps size bytes of private memory, readable and executable, at exactly this address.
 * STATUS_FULL or STATUS_IO: there is something already, or the kernel refused.
 */
int remote_call_map(struct remote_call *r, taddr at, uint64_t size);
/* Unmaps; tried twice, for the kernel may want memory to split a mapping. */
int remote_call_unmap(struct remote_call *r, taddr at, uint64_t size);

#endif
