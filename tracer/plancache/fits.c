/* SPDX-License-Identifier: MIT */
#include "tracer/plancache/fits.h"

#include <string.h>

static bool is_in_memory(const struct hook_function *f, taddr at, const uint8_t *bytes,
			 size_t n)
{
	uint8_t now[HOOK_COVERED_MAX];

	return f->read(f->ctx, at, now, n) == 0 && memcmp(now, bytes, n) == 0;
}

/* How many sites of the plan fire for the want; 0: it does not serve it. */
static uint32_t count_sites(const struct hook_plan *plan,
			    const struct hook_probe_point *w)
{
	bool before = hook_plan_find(plan, w->pc, false) >= 0;
	bool taken = hook_plan_find(plan, w->pc, true) >= 0;

	if (w->no_jump || (w->is_before && !before) || (!w->is_exit && taken))
		return 0;
	return before + taken;
}

static bool serves(const struct plan_fit *fit, const struct plan_tape_entry *e)
{
	const struct hook_function *f = fit->f;
	uint32_t nsites = 0;

	for (size_t i = fit->next; i < fit->next + e->n; i++) {
		uint32_t n = count_sites(&e->plan, &f->wants[i]);

		if (!n)
			return false;
		nsites += n;
	}
	return nsites == e->plan.nsites;
}

/* HOOK_CALL: the site may be before the bytes. */
static taddr begin_of(const struct hook_plan *plan)
{
	return taddr_of(min_u64(plan->site.v, plan->patch.v));
}

static taddr end_of(const struct hook_plan *plan)
{
	return taddr_add(plan->patch,
			 hook_plan_is_jump(plan) ? (int64_t)hook_plan_held(plan) : 1);
}

static bool is_in_part(const struct plan_fit *fit, const struct hook_plan *plan)
{
	uint64_t limit = fit->f->hi.v + HOOK_COVERED_MAX;

	return begin_of(plan).v >= fit->floor.v && plan->site.v < fit->f->hi.v &&
	       end_of(plan).v <= limit && plan->patch.v < limit;
}

bool plan_fit_next(struct plan_fit *fit, const struct plan_tape_entry *e)
{
	const struct hook_function *f = fit->f;
	const struct hook_plan *plan = &e->plan;

	if (fit->next >= f->nwants || e->n > f->nwants + f->nafter - fit->next ||
	    !is_in_part(fit, plan))
		return false;
	if (!hook_plan_is_jump(plan)) {
		if (e->n != 1 || plan->site.v != f->wants[fit->next].pc.v)
			return false;
	} else if (!serves(fit, e) ||
		   !is_in_memory(f, plan->patch, plan->original,
				 hook_plan_held(plan)) ||
		   (hook_plan_has_island(plan) &&
		    !is_in_memory(f, plan->island.at, plan->island.original,
				  plan->island.covered))) {
		return false;
	}
	fit->next += e->n;
	fit->floor = end_of(plan);
	return true;
}

bool plan_fit_is_done(const struct plan_fit *fit)
{
	return fit->next >= fit->f->nwants;
}
