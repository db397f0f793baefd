/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/sites/lost.h"
#include "tracer/keeper/os/mem.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

/* A breakpoint or a detour, and the program's bytes that are its own. */
struct placed {
	uint64_t lo, hi;
	const struct bpt_site *breakpoint; /* NULL: it is a detour */
	const struct detour *detour;
	bool stands;
};

struct placed_list {
	struct placed *data;
	size_t len, cap;
};

/* What the site's own byte is: other bytes of its instruction may be another site's. */
static bool breakpoint_stands(struct mem_pages *r, const struct bpt_site *site)
{
	uint8_t now;

	return mem_pages_read(r, site->in.addr, &now, 1) == 0 && now == BPT_BYTE;
}

static bool detour_stands(struct mem_pages *r, const struct detour *d)
{
	uint8_t now[HOOK_PATCH_MAX];
	size_t n = hook_plan_patched(&d->plan);

	return mem_pages_read(r, d->plan.patch, now, n) == 0 &&
	       memcmp(now, d->patch, n) == 0;
}

static void add_breakpoints(const struct space *s, const struct addr_range *r,
			    struct placed_list *list)
{
	for (size_t i = 0; i < s->bpts.sites.len; i++) {
		const struct bpt_site *site = &s->bpts.sites.data[i];
		uint64_t lo = site->in.addr.v;

		if (site->is_set && addr_range_holds(r, site->in.addr))
			*vec_push(list) = (struct placed){
				.lo = lo, .hi = lo + 1, .breakpoint = site};
	}
}

static void add_detours(const struct space *s, const struct addr_range *r,
			struct placed_list *list)
{
	for (size_t i = 0; s->detours && i < s->detours->list.len; i++) {
		const struct detour *d = &s->detours->list.data[i];
		uint64_t patch = d->plan.patch.v;

		if (d->is_on && addr_range_holds(r, d->plan.patch))
			*vec_push(list) =
				(struct placed){.lo = min_u64(patch, d->plan.site.v),
						.hi = patch + hook_plan_held(&d->plan),
						.detour = d};
	}
}

static int by_address(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	return (x->lo > y->lo) - (x->lo < y->lo);
}

/* They nearly are in order: the one list behind the other. */
static void sort(struct placed_list *list)
{
	size_t i = 1;

	while (i < list->len && list->data[i - 1].lo <= list->data[i].lo)
		i++;
	if (i < list->len)
		qsort(list->data, list->len, sizeof(*list->data), by_address);
}

/* False: the process has ended, so nothing is known of them. */
static bool look_at_all(const struct space *s, struct placed_list *list)
{
	struct mem_pages *r = oom_calloc(1, sizeof(*r));
	bool is_known;

	r->fd = s->mem;
	for (size_t i = 0; i < list->len && !r->is_gone; i++) {
		struct placed *p = &list->data[i];

		p->stands = p->breakpoint ? breakpoint_stands(r, p->breakpoint)
					  : detour_stands(r, p->detour);
	}
	is_known = !r->is_gone;
	free(r);
	return is_known;
}

static bool find_first(const struct placed_list *list, struct addr_range *lost)
{
	size_t i = 0;

	while (i < list->len && list->data[i].stands)
		i++;
	if (i == list->len)
		return false;
	lost->lo = taddr_of(list->data[i].lo);
	for (; i < list->len && !list->data[i].stands; i++)
		lost->hi = taddr_of(max_u64(lost->hi.v, list->data[i].hi));
	return true;
}

bool sites_forget_lost(struct space *s, const struct addr_range *r,
		       struct addr_range *lost)
{
	struct placed_list list = {0};
	bool is_lost;

	*lost = (struct addr_range){{0}, {0}};
	add_breakpoints(s, r, &list);
	add_detours(s, r, &list);
	sort(&list);
	is_lost = look_at_all(s, &list) && find_first(&list, lost);
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
