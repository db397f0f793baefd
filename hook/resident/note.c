/* SPDX-License-Identifier: MIT */
/*
 * Noting which word a site's next hit is to count in, so that it need not come
 * here (hook/resident.h).
 */
#include "hook/resident/level.h"

/* Sites that one bit of the notes stands for. */
static uint32_t part_sites(const struct level *l)
{
	return l->block->config.nsites / RESIDENT_PARTS + 1;
}

/* No other part than those written to: they are sparse, and larger than the rest. */
static void forget_all(const struct level *l, struct resident_notes *notes)
{
	uint32_t n = part_sites(l);

	for (uint32_t part = 0; part < RESIDENT_PARTS; part++) {
		uint64_t end =
			min_u64((part + 1) * (uint64_t)n, l->block->config.nsites);

		if (!(notes->parts[part / 64] >> part % 64 & 1))
			continue;
		for (uint64_t i = part * (uint64_t)n; i < end; i++)
			notes->counters[i] = 0;
	}
	for (uint32_t i = 0; i < RESIDENT_PARTS / 64; i++)
		notes->parts[i] = 0;
}

ATTR_NOINLINE void note_firing(struct level *l, const struct vm_probe *probe)
{
	struct resident_gate *gate = &l->area->gate;
	struct resident_notes *notes = (void *)(uintptr_t)gate->notes;
	const struct resident_site *sites = (const void *)(uintptr_t)gate->sites;
	uint32_t site = (uint32_t)(l->site - sites), part = site / part_sites(l);
	const _Atomic uint64_t *counter = vm_counter(&l->vm, probe);
	uint64_t place = counter ? ((uintptr_t)counter - gate->state) / 8 : 0;

	/* An interrupting hit counts elsewhere than the next one will. */
	if (!counter || place > UINT32_MAX || !notes || gate->busy != 1)
		return;
	if (gate->noted + l->sum) {
		forget_all(l, notes);
		gate->rekeyed = vm_rekeyed(&l->vm);
		gate->noted = 0 - l->sum;
	}
	notes->parts[part / 64] |= UINT64_C(1) << part % 64;
	notes->counters[site] = (uint32_t)place;
}
