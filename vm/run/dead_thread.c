/* SPDX-License-Identifier: MIT */
/* Cleans up after a thread of the target that has ended. */
#include "vm/agg/shard.h"
#include "vm/run/dynvar.h"

void state_release_claims(struct state *s, uint32_t slot)
{
	for (uint32_t i = 0; i < CLAIM_WORDS; i++)
		claim_give(s, i, slot);
	agg_settle(s, slot);
}

void state_forget_thread(struct state *s, const void *image, uint32_t slot,
			 uint64_t thread)
{
	dynvar_forget_thread(s, image, slot, thread);
}
