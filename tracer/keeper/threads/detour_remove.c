/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/threads/detour_remove.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/os/ptrace.h"
#include "tracer/keeper/threads/all_stop.h"
#include "vm/base/host/vec.h"

/* The breakpoint site at addr, made if there is none; NULL when none can be there. */
static struct bpt_site *make_site(struct space *s, taddr addr)
{
	struct bpt_site *site = bpt_find(&s->bpts, addr);
	uint8_t code[INSN_MAX];
	enum keeper_reason why;
	size_t n = sizeof(code);

	if (site)
		return site;
	while (n && mem_read(s->mem, addr, code, n) < 0)
		n--;
	space_hide(s, addr, code, n);
	return bpt_make(&s->bpts, addr, code, n, &why);
}

bool detour_remove_prepare(struct space *s, const struct detour *detour,
			   struct bpt_list *out)
{
	uint32_t index[HOOK_SITES_MAX], n = detour->plan.nsites;

	for (uint32_t i = 0; i < n; i++) {
		const struct bpt_site *site =
			make_site(s, hook_plan_address(&detour->plan, i));

		if (!site)
			return false;
		index[i] = bpt_number(&s->bpts, site);
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct detours *h = s->detours;
		uint32_t hit = h->sites.data[detour->first_site + i].hits.first;

		for (; hit; hit = h->hits.data[hit - 1].next) {
			struct bpt_hit copy = h->hits.data[hit - 1];

			copy.next = 0;
			bpt_add_hit(&s->bpts, &s->bpts.sites.data[index[i]], &copy);
		}
		if (!i || index[i] != index[i - 1])
			*vec_push(out) = index[i];
	}
	return true;
}

static void add_unset(const struct space *s, taddr addr, struct bpt_list *list)
{
	const struct bpt_site *site = bpt_find(&s->bpts, addr);
	uint32_t index = site ? bpt_number(&s->bpts, site) : 0;

	if (site && !site->is_set && (!list->len || list->data[list->len - 1] != index))
		*vec_push(list) = index;
}

static void exchange(const struct detour_removal *u)
{
	struct space *s = u->space;
	struct detour_texts texts = {0};
	struct procfs_maps maps = {0};
	struct bpt_list list = {0};

	for (size_t i = 0; i < u->n; i++)
		detour_texts_add(&s->detours->list.data[u->numbers[i]], &texts);
	detour_texts_write(s->detours, &texts, true, s->mem);
	space_unshadow_detours(s, &texts);
	for (size_t i = 0; i < texts.len; i++) {
		const struct detour_text *t = &texts.data[i];
		struct detour *detour = &s->detours->list.data[t->number];

		if (t->is_island)
			continue;
		detours_turn_off(s->detours, detour);
		for (uint32_t k = 0; t->is_done && k < detour->plan.nsites; k++)
			add_unset(s, hook_plan_address(&detour->plan, k), &list);
	}
	bpt_sort(&s->bpts, &list);
	space_set_breakpoints(s, &list, &maps);
	vec_release(&texts);
	vec_release(&list);
}

/* The detour of the request in whose island the thread is, or NULL. */
static const struct detour *island_of(const struct detour_removal *u,
				      const struct all_stop_thread *t)
{
	for (size_t i = 0; t->tid && i < u->n; i++) {
		const struct detour *detour =
			&u->space->detours->list.data[u->numbers[i]];

		if (detours_is_at_island(detour, t->pc))
			return detour;
	}
	return NULL;
}

/* Islands become padding again: threads in one go back to the site. */
static int leave_islands(const struct detour_removal *u, const struct all_stop *all)
{
	const struct detour *detour;

	for (size_t i = 0; i < all->threads.len; i++)
		if (all->threads.data[i].is_asleep &&
		    island_of(u, &all->threads.data[i]))
			return STATUS_BUSY;
	for (size_t i = 0; i < all->threads.len; i++) {
		detour = island_of(u, &all->threads.data[i]);
		if (detour)
			pt_set_pc(
				all->threads.data[i].tid,
				detours_before_island(detour, all->threads.data[i].pc));
	}
	return 0;
}

int detour_remove(const struct detour_removal *u)
{
	struct all_stop all;
	int status = all_stop_begin(&all, u->k, u->self, u->space);

	if (status < 0)
		return status;
	/*
	 * Threads in stubs stay there: from the prologue they fire, and the epilogue
	 * returns to an address after the patched bytes.
	 */
	status = leave_islands(u, &all);
	if (!status)
		exchange(u);
	all_stop_end(&all);
	return status;
}

int detour_remove_all(struct keeper *k, struct task *self, struct space *s,
		      const struct bpt_list *numbers)
{
	const struct detour_removal u = {k, s, self, numbers->data, numbers->len};
	struct bpt_list sites = {0};
	int status;

	for (size_t i = 0; i < numbers->len; i++)
		detour_remove_prepare(s, &s->detours->list.data[numbers->data[i]],
				      &sites);
	bpt_sort(&s->bpts, &sites);
	status = space_place_slots(s, &sites, NULL);
	for (size_t i = 0; i < sites.len; i++) {
		const struct bpt_site *site = &s->bpts.sites.data[sites.data[i]];

		if (!site->is_set && site->how == STEP_XOL &&
		    (!site->slot.at.v || (status < 0 && status != STATUS_FULL)))
			bpt_drop(&s->bpts, site);
	}
	vec_release(&sites);
	return detour_remove(&u);
}
