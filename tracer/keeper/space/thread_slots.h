/* SPDX-License-Identifier: MIT */
/*
 * What a thread needs to run clauses itself (fpid): a thread control block (TCB) in its
 * process's resident block, found by its GS base, and a pair of slots of the state
 * block, one for each level of nesting.
 *
 * When no pair is left a thread gets an inert TCB: it passes through sites without
 * firing, and one drop is counted. The same if the GS base of a thread that lives cannot
 * be set. A thread that was killed meanwhile hits nothing and is no drop.
 */
#ifndef TRACER_KEEPER_SPACE_THREAD_SLOTS_H
#define TRACER_KEEPER_SPACE_THREAD_SLOTS_H

#include "tracer/keeper/keeper.h"
#include "vm/base/base.h"
#include "vm/state.h"

struct detours;

/* What all threads have in common. */
struct thread_slots {
	struct state *home; /* NULL before the program is loaded */
	bool reads_there;   /* clauses in the processes may read memory */
	uint64_t fired; /* firings of jumps, of threads that gave their slots back */
	struct keeper_liars liars;
};

/* What one thread has: numbers + 1, 0 none. A zeroed struct is empty. */
struct thread_slot {
	uint32_t tcb, pair;
	uint64_t since; /* clock_now_ns() when it got them */
};

struct thread_slots_request {
	struct detours *detours; /* of its process */
	int tid;
	uint64_t identity; /* for self-> */
	bool is_inert;	   /* it shares the memory of the process and is none of its */
	bool finds_stack;  /* stacks are walked by CFI rows, or memory is read */
};

/*
 * Gives a stopped thread its TCB and pair, and sets its GS base, unless it has them or
 * its process has no resident code.
 */
void thread_slots_take(struct thread_slots *s, const struct thread_slots_request *r,
		       struct thread_slot *slot);
/*
 * Takes both back: the thread has gone, or its memory has. detours: of its process, pid,
 * NULL if it has none any more.
 */
void thread_slots_drop(struct thread_slots *s, struct detours *detours, int pid,
		       struct thread_slot *slot);
/* Sets the GS base of a stopped thread back to 0. Tried twice. */
void thread_slots_clear_base(int tid);

#endif
