/* SPDX-License-Identifier: MIT */
#include "vm/run/inline_cache.h"
#include "vm/isa.h"
#include "vm/agg/shard.h"

static uint32_t entry_of(uint64_t key, uint32_t place)
{
	return ((uint32_t)key * INLINE_CACHE_KEY + place * INLINE_CACHE_PLACES) >>
	       (32 - INLINE_CACHE_BITS);
}

/* The element's offset in the shard, or UINT64_MAX. */
static uint64_t find(const struct slot *slot, const struct vm_probe *probe,
		     uint32_t place)
{
	const struct inline_cache *m = &slot->cache[entry_of(probe->id, place)];
	uint32_t link = m->link;

	if (!link || m->key != probe->id || m->place != place ||
	    m->rekeyed != slot->rekeyed)
		return UINT64_MAX;
	return (uint64_t)(link - 1) * 8;
}

_Atomic uint64_t *inline_cache_counter(const struct vm *vm, struct slot *slot,
				       const struct vm_probe *probe, uint32_t clause)
{
	uint64_t offset = find(slot, probe, clause);
	struct shard h;

	if (offset == UINT64_MAX)
		return NULL;
	h = shard_of(vm->state, vm->slot);
	return agg_counter(&h, vm->image, offset);
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
	slot->cache[entry_of(probe->id, clause)] = (struct inline_cache){
		.key = probe->id,
		.place = clause,
		.rekeyed = slot->rekeyed,
		.link = (uint32_t)(offset / 8 + 1),
	};
}

void inline_cache_learn_element(struct slot *slot, uint64_t key, uint32_t place,
				const struct inline_cache_element *e)
{
	slot->cache[entry_of(key, place)] = (struct inline_cache){
		.key = key,
		.place = place,
		.stamp = e->stamp,
		.rekeyed = slot->rekeyed,
		.link = (uint32_t)(e->offset / 8 + 1),
		.element = e->address,
	};
}
