/* SPDX-License-Identifier: MIT */
#include "vm/run/inline_cache.h"
#include "vm/isa.h"
#include "vm/agg/shard.h"

static struct inline_cache *entry_of(struct slot *slot, const struct vm_probe *probe,
				     uint32_t clause)
{
	return &slot->cache[(probe->id + clause * 7919u) % INLINE_CACHE_ENTRIES];
}

_Atomic uint64_t *inline_cache_counter(const struct vm *vm, struct slot *slot,
				       const struct vm_probe *probe, uint32_t clause)
{
	const struct inline_cache *m = entry_of(slot, probe, clause);
	struct shard h;
	uint32_t link = m->link;

	if (!link || m->probe != probe->id || m->clause != clause ||
	    m->rekeyed != slot->rekeyed)
		return NULL;
	h = shard_of(vm->state, vm->slot);
	return agg_counter(&h, vm->image, (uint64_t)(link - 1) * 8);
}

bool inline_cache_count(const struct vm *vm, struct slot *slot,
			const struct vm_probe *probe, uint32_t clause)
{
	_Atomic uint64_t *counter = inline_cache_counter(vm, slot, probe, clause);

	if (!counter)
		return false;
	store64(counter, load64(counter) + 2);
	return true;
}

void inline_cache_learn(struct slot *slot, const struct vm_probe *probe,
			uint32_t clause, uint64_t offset)
{
	if (offset == UINT64_MAX)
		return;
	*entry_of(slot, probe, clause) = (struct inline_cache){
		.probe = probe->id,
		.clause = clause,
		.rekeyed = slot->rekeyed,
		.link = (uint32_t)(offset / 8 + 1),
	};
}
