/* SPDX-License-Identifier: MIT */
/*
 * System calls made by a stopped thread of the target on our behalf. The thread
 * enters and leaves them through system call stops, never by single-stepping:
 * a step's trap would reset a SIGTRAP handler that the program ignores or
 * blocks. Its signals stay blocked (queued) meanwhile, and it ends where it was,
 * in a PTRACE_EVENT_STOP before its next user instruction. Should the keeper die in
 * between, it gets there by itself (return_stub.h).
 */
#ifndef TRACER_KEEPER_SPACE_REMOTE_CALL_H
#define TRACER_KEEPER_SPACE_REMOTE_CALL_H

#include "tracer/keeper/space/task.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/os/wait_queue.h"

struct remote_call {
	struct wait_queue *waits;
	int tid;
	unsigned options;  /* of the thread, to go back to */
	bool is_suspended; /* its seccomp filter */
	taddr insn;	   /* a syscall instruction of the program */
	taddr return_stub; /* where calls are made from; 0: from insn */
	int mem;
	uint64_t mask;
	struct regs saved;
};

/*
 * The thread must be in PTRACE_EVENT_STOP; mem is of its memory, which is not its
 * space's when it is a fork child. STATUS_GONE when it died,
 * STATUS_UNSUP when there is no instruction to make system calls with, STATUS_PERM
 * when a seccomp filter judges them that we may not suspend.
 */
int remote_call_begin(struct remote_call *r, struct wait_queue *waits,
		      const struct task *task, int mem);
/* *result is the kernel's answer: negative errno values included. */
int remote_call_make(struct remote_call *r, long nr, const uint64_t args[6],
		     int64_t *result);
/* Registers and mask as they were; *status is the new stop. STATUS_GONE when it died. */
int remote_call_end(struct remote_call *r, int *status);

/*
 * Maps size bytes of private memory, readable and executable, at exactly this address.
 * STATUS_FULL or STATUS_IO: there is something already, or the kernel refused.
 */
int remote_call_map(struct remote_call *r, taddr at, uint64_t size);
/* Unmaps; tried twice, for the kernel may want memory to split a mapping. */
int remote_call_unmap(struct remote_call *r, taddr at, uint64_t size);

#endif
