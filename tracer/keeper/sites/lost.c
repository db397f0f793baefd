/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/sites/lost.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/space/text_write.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/sort.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

/* Where bytes of a breakpoint or a detour are. */
struct place {
	uint64_t at;
	uint32_t number; /* of its site, or of the detour */
	bool is_detour;
};

struct place_list {
	struct place *data;
	size_t len, cap;
	const struct space *space;
};

static const struct detour *detour_of(const struct place_list *list, size_t i)
{
	return &list->space->detours->list.data[list->data[i].number];
}

static void add_breakpoints(const struct addr_range *r, struct place_list *list)
{
	const struct bpt_table *t = &list->space->bpts;

	for (size_t i = 0; i < t->sites.len; i++) {
		const struct bpt_site *site = &t->sites.data[i];

		if (site->is_set && addr_range_holds(r, site->in.addr))
			*vec_push(list) =
				(struct place){site->in.addr.v, (uint32_t)i, false};
	}
}

static void add_detours(const struct addr_range *r, struct place_list *list)
{
	const struct detours *detours = list->space->detours;

	for (size_t i = 0; detours && i < detours->list.len; i++) {
		const struct detour *d = &detours->list.data[i];

		if (d->is_on && addr_range_holds(r, d->plan.patch))
			*vec_push(list) =
				(struct place){d->plan.patch.v, (uint32_t)i, true};
	}
}

static struct text_span span(const void *ctx, size_t i)
{
	const struct place_list *list = ctx;
	const struct place *p = &list->data[i];

	return (struct text_span){
		taddr_of(p->at),
		p->is_detour ? hook_plan_patched(&detour_of(list, i)->plan) : 1};
}

/* What the place's own bytes are: others of its instruction may be another site's. */
static enum text_result look(void *ctx, size_t i, uint8_t *now)
{
	static const uint8_t breakpoint = BPT_BYTE;
	const struct place_list *list = ctx;
	const uint8_t *ours =
		list->data[i].is_detour ? detour_of(list, i)->patch : &breakpoint;

	return memcmp(now, ours, span(ctx, i).n) ? TEXT_FOREIGN : TEXT_PRESENT;
}

/* The program's bytes that are the place's. */
static struct addr_range bytes_of(const struct place_list *list, size_t i)
{
	const uint64_t at = list->data[i].at;
	const struct hook_plan *plan;

	if (!list->data[i].is_detour)
		return (struct addr_range){taddr_of(at), taddr_of(at + 1)};
	plan = &detour_of(list, i)->plan;
	return (struct addr_range){taddr_of(min_u64(at, plan->site.v)),
				   taddr_of(at + hook_plan_held(plan))};
}

static bool has_ended(const struct place_list *list, size_t i)
{
	uint8_t byte;

	return mem_read(list->space->mem, taddr_of(list->data[i].at), &byte, 1) ==
	       STATUS_GONE;
}

/* False: all stand; or the process has ended, so that nothing is known of them. */
static bool find_first(const struct place_list *list, const uint8_t *results,
		       struct addr_range *lost)
{
	size_t i = 0;

	while (i < list->len && results[i] == TEXT_PRESENT)
		i++;
	if (i == list->len || has_ended(list, list->len - 1))
		return false;
	*lost = bytes_of(list, i);
	while (++i < list->len && results[i] != TEXT_PRESENT) {
		const struct addr_range bytes = bytes_of(list, i);

		lost->lo.v = min_u64(lost->lo.v, bytes.lo.v);
		lost->hi.v = max_u64(lost->hi.v, bytes.hi.v);
	}
	return true;
}

/* The sites of a table mostly are in order; so are the detours. */
static bool look_at_all(struct place_list *list, struct addr_range *lost)
{
	uint8_t *results = oom_calloc(list->len + 1, 1);
	const struct text_write w = {.mem = list->space->mem,
				     .is_look = true,
				     .n = list->len,
				     .ctx = list,
				     .span = span,
				     .change = look};
	bool is_lost;

	sort_runs(list->data, list->len, sizeof(*list->data));
	text_write(&w, results);
	is_lost = find_first(list, results, lost);
	free(results);
	return is_lost;
}

bool sites_forget_lost(struct space *s, const struct addr_range *r,
		       struct addr_range *lost)
{
	struct place_list list = {.space = s};
	bool is_lost;

	*lost = (struct addr_range){{0}, {0}};
	add_breakpoints(r, &list);
	add_detours(r, &list);
	is_lost = look_at_all(&list, lost);
	vec_release(&list);
	if (!is_lost)
		return false;
	space_note_lost(s, *lost);
	bpt_forget(&s->bpts, *lost);
	if (s->detours)
		detours_forget(s->detours, *lost);
	if (s->detours && s->detours->shadow.is_kept)
		shadow_forget(&s->detours->shadow, &s->detours->view, *lost);
	return true;
}
