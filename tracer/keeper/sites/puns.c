/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/sites/puns.h"
#include "tracer/keeper/sites/fields.h"
#include "vm/base/host/vec.h"

#include <stdio.h>

#define PAGE	  NEAR_PAGE
#define PAGES_MAX 1024 /* of a process: each is a mapping, and undone in every child */

struct puns {
	const struct injection *in;
	struct detours *detours;
	struct near_alloc *now;	 /* as it was before any of these */
	uint64_t room;		 /* for mappings */
	struct map used;	 /* address / 64 -> which of these bytes islands get */
	struct addr_range field; /* where the stub of the present request will be */
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
	if (!near_space_is_free(&p->now->space, r))
		return 0;
	status = inject_map_at(p->in, r.lo, r.hi.v - r.lo.v);
	if (status < 0)
		return status == STATUS_GONE ? status : 0;
	p->room--;
	for (uint64_t at = r.lo.v; at < r.hi.v; at += PAGE) {
		map_set(&p->detours->pun_pages, at, 1);
		*vec_push(&p->detours->pun_list) = at;
	}
	*reason = KEEPER_REASON_NONE;
	return 0;
}

static bool is_wanted(const struct detour_request *j, enum hook_tactic tactic)
{
	return j->plan.tactic == tactic && !j->is_joining &&
	       j->reason == KEEPER_REASON_NONE;
}

static int map_all(struct puns *p, struct detour_requests *list)
{
	int status = 0;

	for (size_t i = 0; i < list->len && !status; i++) {
		struct detour_request *j = &list->data[i];
		struct addr_range r;

		if (!is_wanted(j, HOOK_JMP_PUN))
			continue;
		r = missing(p, j->plan.island.at);
		if (r.lo.v < r.hi.v)
			status = map_pages(p, r, &j->reason);
	}
	return status;
}

static bool has_any(const struct detour_requests *list, enum hook_tactic tactic)
{
	for (size_t i = 0; i < list->len; i++)
		if (is_wanted(&list->data[i], tactic))
			return true;
	return false;
}

#define BYTES_OF_WORD 64

/* The bytes of an island that are among those of its first word, or of the next. */
static uint64_t island_bits(uint64_t island, unsigned word)
{
	const uint64_t bits = (UINT64_C(1) << HOOK_JUMP) - 1;
	unsigned first = island % BYTES_OF_WORD;

	if (!word)
		return bits << first;
	return first > BYTES_OF_WORD - HOOK_JUMP ? bits >> (BYTES_OF_WORD - first) : 0;
}

static void use(struct puns *p, uint64_t island)
{
	for (unsigned i = 0; i < 2 && island_bits(island, i); i++) {
		uint64_t key = island / BYTES_OF_WORD + i, bits = 0;

		map_get(&p->used, key, &bits);
		map_set(&p->used, key, bits | island_bits(island, i));
	}
}

static bool is_used(const struct puns *p, uint64_t island)
{
	for (unsigned i = 0; i < 2 && island_bits(island, i); i++) {
		uint64_t bits = 0;

		map_get(&p->used, island / BYTES_OF_WORD + i, &bits);
		if (bits & island_bits(island, i))
			return true;
	}
	return detours_have_islands(p->detours, taddr_of(island), HOOK_JUMP);
}

/* The bytes that islands of this request will have. */
static void find_used(struct puns *p, const struct detour_requests *list)
{
	for (size_t i = 0; i < list->len; i++)
		if (is_wanted(&list->data[i], HOOK_JMP_PUN))
			use(p, list->data[i].plan.island.at.v);
}

/* Whether all of the field is within reach of a jump at the address. */
static bool is_in_reach(const struct puns *p, uint64_t at)
{
	uint64_t far = max_u64(p->field.hi.v, at) - min_u64(p->field.lo.v, at);

	return far < INT32_MAX;
}

static enum hook_place place_at(void *ctx, taddr at)
{
	struct puns *p = ctx;
	uint64_t page = align_down(at.v, PAGE);
	const struct addr_range r = {taddr_of(page), taddr_of(page + PAGE)};

	if (at.v + HOOK_JUMP > r.hi.v || !is_in_reach(p, at.v))
		return HOOK_PLACE_NONE;
	if (is_mapped(p, page))
		return is_used(p, at.v) ? HOOK_PLACE_NONE : HOOK_PLACE_MAPPED;
	return p->room && p->detours->pun_pages.len + HOOK_HEADS_MAX <= PAGES_MAX &&
			       near_space_is_free(&p->now->space, r)
		       ? HOOK_PLACE_NEW
		       : HOOK_PLACE_NONE;
}

/* The jump at the end of the chain needs no page: the sites before it get breakpoints. */
static void leave_tail(struct detour_request *j, enum keeper_reason reason)
{
	struct hook_plan tail;
	uint32_t n = 0;

	if (!hook_chain_tail(&j->plan, &tail)) {
		j->reason = reason;
		return;
	}
	while (n < j->nprobes && j->probes[n].addr.v < tail.patch.v)
		n++;
	j->plan = tail;
	j->probes += n;
	j->nprobes -= n;
	j->nleft = n;
	j->left_reason = reason;
	j->reason = KEEPER_REASON_NONE;
}

static int map_landings(struct puns *p, struct detour_request *j)
{
	enum keeper_reason reason = KEEPER_REASON_NONE;
	int status = 0;

	for (uint32_t i = 0; !status && !reason && i < j->plan.nheads; i++) {
		taddr at = hook_chain_landing(&j->plan, j->chain, i);
		struct addr_range r = missing(p, at);

		if (r.lo.v < r.hi.v)
			status = map_pages(p, r, &reason);
		use(p, at.v);
	}
	if (!status && reason)
		leave_tail(j, reason);
	return status;
}

static int map_chain(struct puns *p, struct detour_request *j)
{
	const struct hook_places places = {p->detours->pun_list.data,
					   p->detours->pun_list.len, place_at, p};
	const struct detour_field *f = fields_find_room(p->detours, j->plan.patch.v, 1);

	if (!f)
		return 0; /* there will be no stub */
	p->field = (struct addr_range){f->lo, taddr_of(f->lo.v + f->size)};
	if (hook_chain_choose(&j->plan, &places, j->chain))
		return map_landings(p, j);
	leave_tail(j, p->detours->pun_pages.len + HOOK_HEADS_MAX > PAGES_MAX || !p->room
			      ? KEEPER_REASON_MAPPINGS
			      : KEEPER_REASON_PUN);
	return 0;
}

static int map_chains(struct puns *p, struct detour_requests *list)
{
	int status = 0;

	if (!has_any(list, HOOK_JMP_CHAIN))
		return 0;
	find_used(p, list);
	for (size_t i = 0; i < list->len && !status; i++)
		if (is_wanted(&list->data[i], HOOK_JMP_CHAIN))
			status = map_chain(p, &list->data[i]);
	map_release(&p->used);
	return status;
}

int puns_map(const struct injection *in, struct detour_requests *list)
{
	struct puns p = {.in = in, .detours = in->process->space->detours};
	int status;

	if (!has_any(list, HOOK_JMP_PUN) && !has_any(list, HOOK_JMP_CHAIN))
		return 0;
	p.now = in->now;
	p.room = room_for_mappings(p.now);
	status = map_all(&p, list);
	return status ? status : map_chains(&p, list);
}
