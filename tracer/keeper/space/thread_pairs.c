/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/thread_pairs.h"
#include "hook/resident.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>

void thread_pairs_init(struct thread_pairs *p, struct state *state)
{
	*p = (struct thread_pairs){.state = state};
	p->n = thread_pairs_max(p);
}

uint32_t thread_pairs_max(const struct thread_pairs *p)
{
	uint32_t n = state_nslots(p->state);

	return n > STATE_SLOT_FIRST_THREAD
		       ? (n - STATE_SLOT_FIRST_THREAD) / RESIDENT_LEVELS
		       : 0;
}

void thread_pairs_release(struct thread_pairs *p)
{
	vec_release(&p->free);
}

uint32_t thread_pairs_take(struct thread_pairs *p)
{
	if (p->free.len)
		return p->free.data[--p->free.len] + 1;
	return p->nused < p->n ? ++p->nused : 0;
}

void thread_pairs_give(struct thread_pairs *p, uint32_t pair, uint64_t lost)
{
	if (lost)
		atomic_fetch_add_explicit(
			&state_drops(p->state, resident_slot(pair, 0))->records, lost,
			memory_order_relaxed);
	for (uint32_t i = 0; i < RESIDENT_LEVELS; i++)
		state_release_claims(p->state, resident_slot(pair, i));
	*vec_push(&p->free) = pair;
}
