/* SPDX-License-Identifier: MIT */
/*
 * Tail calls that are followed. A function that ends in a jump to another one returns
 * when the other does. Both find their return address at the same stack pointer, by
 * which the jump and the return are paired:
 *
 *	f:	jmp g			TAIL_BEGIN	the call is noted
 *	g:	its first instruction	TAIL_ENTER	the call is in g
 *		jmp h			TAIL_PASS	it is on its way again
 *	h:	its first instruction	TAIL_ENTER
 *		ret			TAIL_END	f returns, and the note is removed
 *
 * g and h are called by others as well: then there is no note for the stack pointer. A
 * note whose frame was left without a return (longjmp, an exception, a stack that was
 * given up) stays. It is known by a second TAIL_ENTER, by another TAIL_BEGIN in its
 * place, and by its return address, which the stack no longer has.
 *
 * A thread has room for TAIL_CALLS_MAX notes. They are in its first slot of the state
 * block if it has one, where the thread itself may write anything: then its own probes
 * fire at wrong times.
 */
#ifndef VM_TAIL_CALLS_H
#define VM_TAIL_CALLS_H

#include "vm/env.h"
#include "vm/state.h"

enum tail_role {
	TAIL_NONE, /* the site has nothing to do with a tail call that is followed */
	TAIL_BEGIN,
	TAIL_ENTER,
	TAIL_PASS,
	TAIL_END,
	TAIL_ROLES
};

#ifdef DTRACE_SMALL_LIMITS
#define TAIL_CALLS_MAX 4u
#else
#define TAIL_CALLS_MAX 32u
#endif

struct tail_call {
	uint64_t sp, back; /* where the return address is, and what it was */
	uint32_t probe, arg0;
};

/* All zero: there are none. */
struct tail_calls {
	uint32_t used, inside; /* a bit for each of the list: it is one; after ENTER */
	struct tail_call list[TAIL_CALLS_MAX];
};

/* A site that the thread has come to. */
struct tail_step {
	enum tail_role role; /* not TAIL_NONE */
	uint32_t probe;	     /* of the function that made the tail call */
	uint64_t sp;
	uint32_t arg0; /* of the site; after TAIL_END, of the TAIL_BEGIN */
};

/* Those of the thread whose first slot this is. */
struct tail_calls *tail_calls_of(struct state *s, uint32_t slot);

/*
 * Whether the probe fires now: at the end of a call that was noted, and at a beginning
 * for which there is no room or no return address. env reads the stack.
 */
bool tail_calls_step(struct tail_calls *t, const struct vm_env *env,
		     struct tail_step *step);

#endif
