/* SPDX-License-Identifier: MIT */
/*
 * The fast count cache (hook/resident.h): stores which word the next hit of a site
 * increments, so that the entry can do it.
 */
#include "hook/resident/level.h"

static void forget_part(struct resident_count_cache *cache, uint64_t part)
{
	struct resident_cached *sites = cache->sites + part * RESIDENT_CACHE_PART;

	for (uint32_t i = 0; i < RESIDENT_CACHE_PART; i++)
		sites[i] = (struct resident_cached){0, 0};
}

/* No other part than those written to: they are sparse, and larger than the rest. */
static void forget_all(const struct level *l, struct resident_count_cache *cache)
{
	uint32_t nsites = l->block->layout.config.nsites;
	uint32_t used = atomic_load_explicit(&l->block->nsites, memory_order_relaxed);
	uint64_t nparts = align_up(min_u64(used, nsites), RESIDENT_CACHE_PART) /
			  RESIDENT_CACHE_PART;

	for (uint64_t word = 0; word * 64 < nparts; word++) {
		for (uint64_t bits = cache->parts[word]; bits; bits &= bits - 1)
			forget_part(cache, word * 64 + (uint64_t)__builtin_ctzll(bits));
		cache->parts[word] = 0;
	}
}

void count_cache_forget(struct level *l)
{
	struct resident_gate *gate = &l->tcb->gate;

	forget_all(l, (void *)(uintptr_t)gate->cache);
	gate->rekeyed = vm_rekeyed(&l->vm);
}

void count_cache_begin(struct level *l)
{
	struct resident_gate *gate = &l->tcb->gate;

	if (gate->cache_sum + l->sum) {
		count_cache_forget(l);
		gate->cache_sum = 0 - l->sum;
	}
}

/* What the cache has of the level's site, to be written; NULL: there is no cache. */
static struct resident_cached *open_site(struct level *l)
{
	struct resident_gate *gate = &l->tcb->gate;
	struct resident_count_cache *cache = (void *)(uintptr_t)gate->cache;
	const struct resident_site *sites = (const void *)(uintptr_t)gate->sites;
	uint32_t site = (uint32_t)(l->site - sites), part = site / RESIDENT_CACHE_PART;

	/* An interrupting hit counts elsewhere than the next one will. */
	if (!cache || gate->busy != 1)
		return NULL;
	count_cache_begin(l);
	cache->parts[part / 64] |= UINT64_C(1) << part % 64;
	return &cache->sites[site];
}

ATTR_NOINLINE void count_cache_learn(struct level *l, const struct vm_probe *probe)
{
	const _Atomic uint64_t *counter = vm_counter(&l->vm, probe);
	uint64_t place = counter ? ((uintptr_t)counter - l->tcb->gate.state) / 8 : 0;
	struct resident_cached *site;

	if (!counter || place > UINT32_MAX)
		return;
	site = open_site(l);
	if (site)
		site->counter = (uint32_t)place;
}

ATTR_NOINLINE void count_cache_learn_link(struct level *l)
{
	struct resident_cached *site = l->tcb->gate.call ? open_site(l) : NULL;

	if (site)
		site->link = l->call.learnt;
	l->call.learnt = 0;
}
