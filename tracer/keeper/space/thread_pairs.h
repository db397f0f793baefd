/* SPDX-License-Identifier: MIT */
/*
 * Pairs of slots of a state block (vm/state.h): a thread that runs clauses itself has
 * one, a slot for each level of nesting.
 */
#ifndef TRACER_KEEPER_SPACE_THREAD_PAIRS_H
#define TRACER_KEEPER_SPACE_THREAD_PAIRS_H

#include "vm/state.h"

/* The pairs of slots of one state block. A zeroed struct has none. */
struct thread_pairs {
	struct state *state; /* borrowed */
	uint32_t n;	     /* that may be taken */
	uint32_t nused;
	struct {
		uint32_t *data;
		size_t len, cap;
	} free;
};

/* All of the block; p->n may be set to less, as long as not all slots are mapped. */
void thread_pairs_init(struct thread_pairs *p, struct state *state);
void thread_pairs_release(struct thread_pairs *p);

/* How many pairs the block has. */
uint32_t thread_pairs_max(const struct thread_pairs *p);
/* A pair's number + 1; 0: none is left. */
uint32_t thread_pairs_take(struct thread_pairs *p);
/* The pair's thread has gone. lost: hits that it had no level for. */
void thread_pairs_give(struct thread_pairs *p, uint32_t pair, uint64_t lost);

#endif
