/* SPDX-License-Identifier: MIT */
/*
 * What a thread needs to run clauses itself: an area of its process's resident
 * block, found by its GS base, and a pair of slots of the state block, one for each
 * level.
 *
 * Pairs are shared by all processes. When none is left a thread gets an inert area:
 * it passes through hooked sites, and one drop is counted.
 */
#ifndef TRACER_KEEPER_SPACE_THREAD_SLOTS_H
#define TRACER_KEEPER_SPACE_THREAD_SLOTS_H

#include "vm/base/base.h"
#include "vm/state.h"

struct detours;
struct task;

struct thread_slots {
	struct state *state; /* of the program, NULL before it is loaded */
	uint32_t npairs, nused;
	struct {
		uint32_t *data;
		size_t len, cap;
	} free;
	uint64_t fired; /* hits of jumps, of threads that gave theirs back */
};

void thread_slots_init(struct thread_slots *s, struct state *state);
void thread_slots_release(struct thread_slots *s);

/*
 * Gives a stopped thread of a process with resident code its area, unless it has one.
 * is_inert: it shares the memory of the process and is none of its threads.
 */
void thread_slots_take(struct thread_slots *s, struct task *task, bool is_inert);
/* The thread has gone, or its memory has: what it held can be used again. */
void thread_slots_drop(struct thread_slots *s, struct task *task);
/* Sets the GS base of a stopped thread back to 0. */
void thread_slots_clear_base(const struct task *task);

#endif
