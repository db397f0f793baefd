/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/sites/tables.h"
#include "tracer/keeper/inject/growth.h"

/* How often a list may be written, each time to another place, and rounded up. */
#define WRITTEN 4u

/* What the sites of an installed detour may come to need. */
static void add_joining(const struct detours *d, uint32_t number,
			struct growth_need *need)
{
	const struct detour *detour = &d->list.data[number];

	for (uint32_t i = 0; i < detour->plan.nsites; i++) {
		const struct detour_site *site = &d->sites.data[detour->first_site + i];

		need->nhits += WRITTEN * (uint64_t)site->nhits;
		need->nranges += WRITTEN * (uint64_t)site->list.nparts;
	}
}

static void add_request(const struct detours *d, const struct detour_request *r,
			struct growth_need *need)
{
	if (r->is_joining)
		add_joining(d, r->number, need);
	else
		need->nsites += 2 * (uint64_t)r->plan.nsites;
	need->nhits += WRITTEN * (uint64_t)r->nprobes;
	for (uint32_t i = 0; i < r->nprobes; i++)
		need->nranges += WRITTEN * (uint64_t)r->probes[i].hit.nranges;
}

void tables_grow(const struct injection *in, const struct detour_requests *list)
{
	const struct detours *d = in->process->space->detours;
	struct growth_need need = {.nsites = d->site_numbers.end,
				   .nhits = d->lists.end,
				   .nranges = d->ranges.end};

	for (size_t i = 0; i < list->len; i++)
		if (!list->data[i].reason)
			add_request(d, &list->data[i], &need);
	/* Of a detour, and of the breakpoints that may come in its place. */
	if (d->shadow.is_kept)
		need.nshadows = 2 * (d->shadow.list.len +
				     2 * HOOK_SITES_MAX * (uint64_t)list->len);
	growth_tables(in, &need);
}
