/* SPDX-License-Identifier: MIT */
/*
 * System calls as the program sees them, out of the stops at their entries and
 * exits: pure, so that every case stands in one tested table.
 *
 *	entry --> IN --exit--> told: entry once, return once
 *	           ^  \
 *	           |   exit with a code for the kernel, or EINTR only because of us
 *	           |    \
 *	           +-- AGAIN --handler returns, EINTR for the program--> told
 *
 * A call that a handler interrupts, and that is made again behind it, is one call;
 * the handler's own calls come in between. One that a jump out of a handler abandons
 * has no return.
 */
#ifndef TRACER_KEEPER_OS_SYSCALLS_H
#define TRACER_KEEPER_OS_SYSCALLS_H

#include "vm/base/taddr.h"

#define SYSCALLS_DEPTH 8 /* calls that handlers have interrupted, one in the other */

enum syscalls_state {
	CALLS_IN,    /* between entry and exit */
	CALLS_AGAIN, /* to be made again, unless the program sees EINTR */
	CALLS_TOLD,  /* its return has been told before its exit: execve */
};

struct syscalls {
	uint32_t depth;
	struct syscalls_one {
		int32_t nr;
		enum syscalls_state state;
		taddr pc, sp; /* behind its instruction */
	} one[SYSCALLS_DEPTH];
};

/* A stop at an entry or exit. */
struct syscalls_stop {
	int64_t nr;
	taddr pc, sp;
	int64_t result;	  /* of an exit */
	bool is_repeated; /* of an exit with EINTR: the program will not see it */
};

/* The number of the call that begins for the program, or -1. */
int syscalls_enter(struct syscalls *c, const struct syscalls_stop *stop);
/* The number of the call that is over for the program, with *result; or -1. */
int syscalls_leave(struct syscalls *c, const struct syscalls_stop *stop,
		   int64_t *result);
/*
 * The thread is stopped amid a call that it was in before its calls were watched: that
 * will be made again.
 */
void syscalls_found(struct syscalls *c, const struct syscalls_stop *stop);
/* A new image: its thread is in execve, whose return is told now. */
void syscalls_exec(struct syscalls *c, const struct syscalls_stop *stop);

#endif
