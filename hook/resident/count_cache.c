/* SPDX-License-Identifier: MIT */
/*
 * The fast count cache (hook/resident.h): stores which word the next hit of a site
 * increments, so that the entry can do it.
 */
#include "hook/resident/level.h"

/* How many sites share one bit of parts[]. */
static uint32_t part_sites(const struct level *l)
{
	return l->block->layout.config.nsites / RESIDENT_CACHE_PARTS + 1;
}

/* No other part than those written to: they are sparse, and larger than the rest. */
static void forget_all(const struct level *l, struct resident_count_cache *cache)
{
	uint32_t n = part_sites(l);

	for (uint32_t part = 0; part < RESIDENT_CACHE_PARTS; part++) {
		uint64_t end = min_u64((part + 1) * (uint64_t)n,
				       l->block->layout.config.nsites);

		if (!(cache->parts[part / 64] >> part % 64 & 1))
			continue;
		for (uint64_t i = part * (uint64_t)n; i < end; i++)
			cache->counters[i] = 0;
	}
	for (uint32_t i = 0; i < RESIDENT_CACHE_PARTS / 64; i++)
		cache->parts[i] = 0;
}

ATTR_NOINLINE void count_cache_learn(struct level *l, const struct vm_probe *probe)
{
	struct resident_gate *gate = &l->tcb->gate;
	struct resident_count_cache *cache = (void *)(uintptr_t)gate->cache;
	const struct resident_site *sites = (const void *)(uintptr_t)gate->sites;
	uint32_t site = (uint32_t)(l->site - sites), part = site / part_sites(l);
	const _Atomic uint64_t *counter = vm_counter(&l->vm, probe);
	uint64_t place = counter ? ((uintptr_t)counter - gate->state) / 8 : 0;

	/* An interrupting hit counts elsewhere than the next one will. */
	if (!counter || place > UINT32_MAX || !cache || gate->busy != 1)
		return;
	if (gate->cache_sum + l->sum) {
		forget_all(l, cache);
		gate->rekeyed = vm_rekeyed(&l->vm);
		gate->cache_sum = 0 - l->sum;
	}
	cache->parts[part / 64] |= UINT64_C(1) << part % 64;
	cache->counters[site] = (uint32_t)place;
}
