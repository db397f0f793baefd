/* SPDX-License-Identifier: MIT */
/*
 * System calls as the program sees them, derived from a thread's stops at their entries
 * and exits. Pure, so that one table of tests has every case.
 *
 *	entry --> IN --exit--> reported: one entry, one return
 *	           ^  \
 *	           |   exit with a restart code, or cut short only because of us
 *	           |    \
 *	           +-- AGAIN --handler returns, program sees EINTR--> reported
 *
 * A call that a signal handler interrupts, and that is restarted after it, is one call;
 * the handler's own calls come in between. A call that a longjmp() out of a handler
 * abandons has no return.
 */
#ifndef TRACER_KEEPER_OS_SYSCALLS_H
#define TRACER_KEEPER_OS_SYSCALLS_H

#include "vm/base/taddr.h"

#define SYSCALLS_DEPTH                                                                 \
	8 /* nested handlers; of more the outermost calls are forgotten */

enum syscalls_state {
	SYSCALLS_IN,	   /* between entry and exit */
	SYSCALLS_AGAIN,	   /* will be restarted, unless the program sees EINTR */
	SYSCALLS_REPORTED, /* its return was reported before its exit: execve */
};

struct syscalls {
	uint32_t depth;
	struct syscalls_one {
		int32_t nr;
		enum syscalls_state state;
		taddr pc, sp; /* after its instruction */
	} one[SYSCALLS_DEPTH];
};

/* A stop at an entry or exit. */
struct syscalls_stop {
	int64_t nr;
	taddr pc, sp;
	int64_t result;	  /* of an exit */
	bool is_repeated; /* an exit: the keeper has the call made again (cut_call.h) */
};

/* A stop at an entry: the number of the call that begins for the program, or -1. */
int syscalls_enter(struct syscalls *c, const struct syscalls_stop *stop);
/* At an exit: the number of the call that returns *result to the program; or -1. */
int syscalls_leave(struct syscalls *c, const struct syscalls_stop *stop,
		   int64_t *result);
/*
 * The thread was in a call before its calls were watched, and is stopped now: if the call
 * will be restarted, that is no new call.
 */
void syscalls_found(struct syscalls *c, const struct syscalls_stop *stop);
/* The thread has a new image: the return of its execve is reported now. */
void syscalls_exec(struct syscalls *c, const struct syscalls_stop *stop);

#endif
