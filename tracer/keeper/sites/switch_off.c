/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/sites/switch_off.h"
#include "tracer/keeper/os/link.h"
#include "tracer/keeper/space/space.h"
#include "vm/base/host/map.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>

/* Whether the site has hits, and all are of probes that are off. */
static bool is_idle(const struct bpt_hits *hits, const struct bpt_hit_list *list,
		    const struct map *off)
{
	for (uint32_t i = list->first; i; i = hits->data[i - 1].next) {
		const struct bpt_hit *h = &hits->data[i - 1];
		uint64_t unused;

		if (h->kind == KEEPER_SITE_HOLD || !map_get(off, h->probe, &unused))
			return false;
	}
	return list->first != 0;
}

static void clear_breakpoints(struct space *s, const struct map *off)
{
	struct bpt_list list = {0};

	for (size_t i = 0; i < s->bpts.sites.len; i++) {
		const struct bpt_site *site = &s->bpts.sites.data[i];

		if (site->is_set && is_idle(&s->bpts.hits, &site->hits, off))
			*vec_push(&list) = (uint32_t)i;
	}
	bpt_sort(&s->bpts, &list);
	space_clear_breakpoints(s, &list);
	vec_release(&list);
}

static void mute_detours(const struct detours *d, const struct map *off)
{
	for (size_t i = 0; d && d->is_installed && i < d->sites.len; i++)
		if (d->sites.data[i].nhits &&
		    is_idle(&d->hits, &d->sites.data[i].hits, off))
			detours_mute(d, (uint32_t)i);
}

int switch_off_probes(struct keeper *k, struct link_memory probes, struct err *e)
{
	uint32_t *list = link_copy(probes, e);
	struct map off = {0};

	if (!list)
		return e->status;
	for (size_t i = 0; i < probes.bytes / sizeof(*list); i++)
		map_set(&off, list[i], 1);
	for (struct process *p = k->tasks.processes; p; p = p->next) {
		if (p->role != ROLE_TRACED || p->space->patience.is_lost)
			continue;
		clear_breakpoints(p->space, &off);
		mute_detours(p->space->detours, &off);
	}
	map_release(&off);
	free(list);
	return 0;
}
