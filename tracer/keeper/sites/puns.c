/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/sites/puns.h"

#include <stdio.h>

#define PAGE	  NEAR_PAGE
#define PAGES_MAX 512 /* of a process: each is a mapping, and undone in every child */

struct puns {
	const struct injection *in;
	struct detours *detours;
	struct near_alloc now; /* as it was before any of these */
	uint64_t room;	       /* for mappings */
};

/* Half of what the process may have: the rest is its own. */
static uint64_t room_for_mappings(const struct near_alloc *now)
{
	unsigned long long max = 65530;
	FILE *f = fopen("/proc/sys/vm/max_map_count", "re");

	if (f && fscanf(f, "%llu", &max) != 1)
		max = 0;
	if (f)
		fclose(f);
	return now->maps.len < max / 2 ? max / 2 - now->maps.len : 0;
}

static bool is_mapped(const struct puns *p, uint64_t page)
{
	return map_get(&p->detours->pun_pages, page, NULL);
}

/* The pages of the island that are not there yet. */
static struct addr_range missing(const struct puns *p, taddr island)
{
	struct addr_range r = {taddr_of(align_down(island.v, PAGE)),
			       taddr_of(align_up(island.v + HOOK_JUMP, PAGE))};

	while (r.lo.v < r.hi.v && is_mapped(p, r.lo.v))
		r.lo.v += PAGE;
	while (r.lo.v < r.hi.v && is_mapped(p, r.hi.v - PAGE))
		r.hi.v -= PAGE;
	return r;
}

static int map_pages(struct puns *p, struct addr_range r, enum keeper_reason *reason)
{
	uint64_t n = (r.hi.v - r.lo.v) / PAGE;
	int status;

	*reason = KEEPER_REASON_MAPPINGS;
	if (!p->room || p->detours->pun_pages.len + n > PAGES_MAX)
		return 0;
	*reason = KEEPER_REASON_PUN;
	if (!near_space_is_free(&p->now.space, r))
		return 0;
	status = inject_map_at(p->in, r.lo, r.hi.v - r.lo.v);
	if (status < 0)
		return status == STATUS_GONE ? status : 0;
	p->room--;
	for (uint64_t at = r.lo.v; at < r.hi.v; at += PAGE)
		map_set(&p->detours->pun_pages, at, 1);
	*reason = KEEPER_REASON_NONE;
	return 0;
}

static bool is_wanted(const struct detour_request *j)
{
	return j->plan.tactic == HOOK_JMP_PUN && !j->is_joining &&
	       j->reason == KEEPER_REASON_NONE;
}

static int map_all(struct puns *p, struct detour_requests *list)
{
	int status = 0;

	for (size_t i = 0; i < list->len && !status; i++) {
		struct detour_request *j = &list->data[i];
		struct addr_range r;

		if (!is_wanted(j))
			continue;
		r = missing(p, j->plan.island.at);
		if (r.lo.v < r.hi.v)
			status = map_pages(p, r, &j->reason);
	}
	return status;
}

int puns_map(const struct injection *in, struct detour_requests *list)
{
	struct puns p = {.in = in, .detours = in->process->space->detours};
	int status;
	size_t i = 0;

	while (i < list->len && !is_wanted(&list->data[i]))
		i++;
	if (i == list->len)
		return 0;
	status = near_alloc_init(&p.now, in->remote->tid);
	if (status < 0)
		return status;
	p.room = room_for_mappings(&p.now);
	status = map_all(&p, list);
	near_alloc_release(&p.now);
	return status;
}
