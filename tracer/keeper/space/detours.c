/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/detours.h"
#include "tracer/keeper/os/owner_watch.h"
#include "tracer/keeper/os/mem.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ENDBR 4 /* a retargeted call may follow an endbr64 */

struct detours *detours_new(void)
{
	struct detours *d = oom_calloc(1, sizeof(*d));

	d->state = BLOCK_VIEW_NONE;
	d->numbers.max = UINT32_MAX;
	return d;
}

void detours_free(struct detours *d)
{
	if (!d)
		return;
	if (d->view.block) {
		owner_watch_untie(&d->view.block->keeper);
		munmap((char *)d->view.block - OWNER_WATCH_ROOM,
		       d->view.layout.bytes + OWNER_WATCH_ROOM);
	}
	for (size_t i = 0; i < d->fields.len; i++)
		vec_release(&d->fields.data[i].detours);
	vec_release(&d->fields);
	vec_release(&d->mappings);
	vec_release(&d->list);
	vec_release(&d->sites);
	vec_release(&d->hits);
	vec_release(&d->retired);
	runs_release(&d->numbers);
	runs_release(&d->site_numbers);
	runs_release(&d->lists);
	runs_release(&d->ranges);
	shadow_release(&d->shadow);
	clause_code_release(&d->code);
	vec_release(&d->free_tcbs);
	vec_release(&d->caches);
	thread_pairs_release(&d->pairs);
	block_view_release(&d->state);
	places_release(&d->by_patch);
	places_release(&d->by_island);
	map_release(&d->pun_pages);
	vec_release(&d->pun_list);
	free(d);
}

struct stub_request detours_request(const struct detour *detour)
{
	return (struct stub_request){
		.plan = &detour->plan,
		.chain = detour->patch,
		.gate = {offsetof(struct resident_gate, spill),
			 offsetof(struct resident_gate, enter)},
		.site = detour->first_site,
		.stub = detour->stub,
		.switch_word = detour->switch_word,
	};
}

static struct detour *at_patch(const struct detours *d, uint64_t patch)
{
	uint32_t i;

	return places_get(&d->by_patch, taddr_of(patch), &i) ? &d->list.data[i] : NULL;
}

static struct detour *at_island(const struct detours *d, uint64_t island)
{
	uint32_t i;

	return places_get(&d->by_island, taddr_of(island), &i) ? &d->list.data[i]
							       : NULL;
}

/* The last one with a patch, or an island, in [lo, hi). */
static struct detour *last_in(const struct detours *d, const struct places *places,
			      uint64_t lo, uint64_t hi)
{
	uint32_t i;

	return places_last(places, taddr_of(lo), taddr_of(hi), &i) ? &d->list.data[i]
								   : NULL;
}

/* The i-th island; n: its bytes. False: there is none. */
static bool island_of(const struct detour *detour, uint32_t i, taddr *at, uint64_t *n)
{
	const struct hook_plan *plan = &detour->plan;

	if (i < plan->nheads) {
		*at = hook_chain_landing(plan, detour->patch, i);
		*n = HOOK_JUMP;
		return true;
	}
	*at = plan->island.at;
	*n = plan->island.covered;
	return !i && plan->island.at.v;
}

/* Whether addr is in one of the detour's islands. */
static bool has_in_island(const struct detour *detour, taddr addr)
{
	uint64_t n;
	taddr at;

	for (uint32_t i = 0; island_of(detour, i, &at, &n); i++)
		if (addr.v >= at.v && addr.v - at.v < n)
			return true;
	return false;
}

taddr detours_before_island(const struct detour *detour, taddr pc)
{
	const struct hook_plan *plan = &detour->plan;

	for (uint32_t i = 0; i < plan->nheads; i++)
		if (pc.v == hook_chain_landing(plan, detour->patch, i).v)
			return taddr_add(plan->patch, plan->heads[i]);
	return plan->island.at.v && pc.v == hook_island_entry(&plan->island).v
		       ? plan->patch
		       : taddr_of(0);
}

bool detours_may_have(const struct detours *d, taddr lo, taddr hi)
{
	return places_may_have(&d->by_patch, lo, hi) ||
	       (d->by_island.len && places_may_have(&d->by_island, lo, hi));
}

/* Whether a detour may begin where it has bytes, or its site, in [lo, hi). */
static bool may_begin_in(const struct detours *d, taddr lo, taddr hi)
{
	return detours_may_have(d, taddr_add(lo, 1 - HOOK_COVERED_MAX),
				taddr_add(hi, ENDBR));
}

/* What detours hold is apart: it can only be the last one before. */
struct detour *detours_find(const struct detours *d, taddr addr)
{
	const uint64_t lo = addr.v + 1 - HOOK_COVERED_MAX, hi = addr.v + 1;
	struct detour *detour;

	if (!may_begin_in(d, addr, taddr_of(hi)))
		return NULL;
	detour = last_in(d, &d->by_island, lo, hi);
	if (detour && has_in_island(detour, addr))
		return detour;
	detour = last_in(d, &d->by_patch, lo, hi);
	if (detour && addr.v - detour->plan.patch.v < hook_plan_held(&detour->plan))
		return detour;
	detour = at_patch(d, addr.v + ENDBR);
	return detour && detour->plan.site.v == addr.v ? detour : NULL;
}

struct detour *detours_find_in(const struct detours *d, struct addr_range r)
{
	struct detour *detour;

	if (!may_begin_in(d, r.lo, r.hi))
		return NULL;
	detour = detours_find(d, r.lo);
	if (!detour)
		detour = last_in(d, &d->by_patch, r.lo.v, r.hi.v);
	return detour ? detour : last_in(d, &d->by_island, r.lo.v, r.hi.v);
}

static struct detour *in_field(const struct detours *d, const struct detour_field *f,
			       taddr pc)
{
	size_t lo = 0, hi = f->detours.len;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (d->list.data[f->detours.data[mid]].stub.v <= pc.v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &d->list.data[f->detours.data[lo - 1]] : NULL;
}

struct detour *detours_of_stub(const struct detours *d, taddr pc)
{
	struct detour *detour;

	for (size_t i = 0; i < d->fields.len; i++) {
		const struct detour_field *f = &d->fields.data[i];

		if (taddr_in(pc, f->lo, f->stubs_end))
			return in_field(d, f, pc);
	}
	detour = d->by_island.len ? detours_find(d, pc) : NULL;
	return detour && detours_is_at_island(detour, pc) ? detour : NULL;
}

bool detours_is_before_busy(uint64_t at)
{
	const struct resident_text *t = detours_text();

	return (at >= t->enter && at < t->fast_end) ||
	       (at >= t->inert && at < t->inert_end);
}

static enum stop_where in_text(uint64_t at)
{
	const struct resident_text *t = detours_text();

	if (at == t->leave_trap)
		return WHERE_EXIT_TRAP;
	if (at >= t->guard_begin && at < t->guard_end)
		return WHERE_GUARD;
	if ((at >= t->late_begin && at < t->late_end) || detours_is_before_busy(at))
		return WHERE_RESIDENT_LATE;
	return WHERE_RESIDENT;
}

/* Routines run on the stack in the block, light ones on that of the thread. */
static enum stop_where in_clauses(const struct detours *d, taddr pc)
{
	if (!clause_code_holds(&d->code, pc))
		return WHERE_ORIGINAL;
	return clause_code_after_fault(&d->code, pc).v ? WHERE_LIGHT
						       : WHERE_RESIDENT_LATE;
}

enum stop_where detours_where(const struct detours *d, taddr pc, taddr sp,
			      struct detour **detour)
{
	*detour = NULL;
	if (!d->is_installed)
		return WHERE_ORIGINAL;
	if (taddr_in(pc, taddr_of(d->place.text), d->gate))
		return in_text(pc.v - d->place.text);
	*detour = detours_of_stub(d, pc);
	/* The vDSO's clock runs on the stack in the block, and so may detours of it. */
	if (sp.v - d->pieces[RESIDENT_TCBS].lo.v < d->pieces[RESIDENT_TCBS].size)
		return WHERE_RESIDENT;
	if (*detour && detours_is_at_island(*detour, pc))
		return WHERE_STUB_PROLOGUE;
	if (!*detour)
		return in_clauses(d, pc);
	return pc.v < (*detour)->stub.v + STUB_EPILOGUE &&
			       detours_begins_with_prologue(*detour)
		       ? WHERE_STUB_PROLOGUE
		       : WHERE_STUB_EPILOGUE;
}

/* Decodes the instruction of a site of the plan. False: that is not possible. */
static bool decode_site(const struct hook_plan *plan, uint32_t site, struct insn *in)
{
	uint8_t at = plan->sites[site].at;

	return at < plan->covered && decode(plan->original + at, plan->covered - at,
					    taddr_add(plan->patch, at), in) == 0;
}

int detours_find_site(const struct hook_plan *plan, taddr addr, uint16_t kind)
{
	int taken = -1;

	if (keeper_site_event(kind) == KEEPER_SITE_RETURN)
		taken = hook_plan_find(plan, addr, true);
	return taken >= 0 ? taken : hook_plan_find(plan, addr, false);
}

bool detours_begins_with_prologue(const struct detour *detour)
{
	const struct hook_plan *plan = &detour->plan;

	return plan->tactic == HOOK_CALL ||
	       (plan->sites[0].at == 0 && !plan->sites[0].on_taken);
}

bool detours_is_epilogue(const struct detours *d, const struct detour *detour,
			 taddr addr)
{
	for (uint32_t i = 0; i < detour->plan.nsites; i++) {
		uint32_t head = d->sites.data[detour->first_site + i].head;

		if (addr.v == detour->stub.v + head + STUB_EPILOGUE)
			return true;
	}
	return false;
}

/* Writes a new list of a site's hits into the block. */
struct list_writer {
	struct detours *d;
	const struct addr_range *ranges; /* those that hits refer to */
	struct insn in;			 /* at the site */
	struct detour_list list;
	uint32_t nhits, nparts; /* written */
};

static void write_parts(struct list_writer *w, const struct bpt_hit *hit,
			struct resident_hit *out)
{
	struct resident_range *to = resident_range_table(&w->d->view);

	out->first_range = w->list.parts + w->nparts;
	out->nranges = hit->nranges;
	for (uint32_t i = 0; i < hit->nranges; i++) {
		const struct addr_range *r = &w->ranges[hit->first_range + i];

		to[w->list.parts + w->nparts++] =
			(struct resident_range){r->lo.v, r->hi.v};
	}
}

/* An indirect jump is an exit when its target lies outside of the function. */
static void set_leaving(const struct insn *in, struct resident_hit *out)
{
	bool is_relative = in->has_mem && in->mem.base == INSN_REG_RIP;

	out->kind = (uint8_t)(RESIDENT_LEAVING | (out->kind & RESIDENT_RAW));
	out->reg = in->reg;
	if (!in->has_mem)
		return;
	out->base = is_relative ? RESIDENT_NO_REG : in->mem.base;
	out->index = in->mem.index;
	out->scale = in->mem.scale;
	out->disp = in->mem.disp;
	if (is_relative)
		out->disp += (int64_t)(in->addr.v + in->len);
}

/* Whether the hit fires only if the jump there leaves the function. */
static bool needs_parts(const struct list_writer *w, const struct bpt_hit *hit)
{
	return keeper_site_event(hit->kind) == KEEPER_SITE_RETURN &&
	       w->in.kind == INSN_JMP_INDIRECT;
}

static void write_hit(struct list_writer *w, const struct bpt_hit *hit)
{
	struct resident_hit out = {.probe = hit->probe, .arg0 = hit->arg0};

	out.kind = keeper_site_is_raw(hit->kind) ? RESIDENT_RAW : 0;
	out.convention = (uint8_t)keeper_site_convention(hit->kind);
	out.role = (uint8_t)keeper_site_role(hit->kind);
	if (out.convention == REGS_CONVENTION_NOTE)
		out.first_range = hit->first_range;
	if (keeper_site_event(hit->kind) == KEEPER_SITE_RETURN)
		out.kind |= RESIDENT_RETURN;
	else if (keeper_site_event(hit->kind) == KEEPER_SITE_OFFSET)
		out.kind |= RESIDENT_OFFSET;
	if (needs_parts(w, hit)) {
		set_leaving(&w->in, &out);
		write_parts(w, hit, &out);
	} else if (out.convention == REGS_CONVENTION_TAIL_CALL) {
		out.disp = (int64_t)w->in.target.v;
	}
	resident_hit_table(&w->d->view)[w->list.first + w->nhits++] = out;
}

/* The word of a site with this hit alone; 0: it needs an element. */
static uint64_t word_alone(const struct detours *d, uint32_t site,
			   const struct bpt_hit *hit)
{
	const struct detour *detour = &d->list.data[d->sites.data[site].detour];
	const uint64_t inside = keeper_site_event(hit->kind) == KEEPER_SITE_OFFSET
					? RESIDENT_INSIDE
					: 0;
	struct insn in;

	if (hit->probe >= RESIDENT_PROBES_MAX)
		return 0;
	if (hit->kind < KEEPER_SITE_RETURN)
		return resident_alone(hit->probe) | inside;
	if (keeper_site_convention(hit->kind) == REGS_CONVENTION_NOTE &&
	    !keeper_site_is_raw(hit->kind) && !keeper_site_role(hit->kind))
		return resident_noted(hit->probe, hit->first_range) | inside;
	if (hit->kind != KEEPER_SITE_RETURN ||
	    !decode_site(&detour->plan, site - detour->first_site, &in) ||
	    in.kind == INSN_JMP_INDIRECT)
		return 0;
	return resident_return(hit->probe, hit->arg0);
}

static void free_list(struct detours *d, const struct detour_list *list)
{
	if (list->n)
		runs_give(&d->lists, list->first, list->n);
	if (list->nparts)
		runs_give(&d->ranges, list->parts, list->nparts);
}

/* Room for the writer's list of n hits with so many parts. */
static int take_list(struct list_writer *w, uint32_t n, uint32_t nparts)
{
	struct detour_list list = {0};

	list.first = runs_take(&w->d->lists, n);
	if (list.first == RUNS_NONE)
		return STATUS_FULL;
	list.n = n;
	if (nparts)
		list.parts = runs_take(&w->d->ranges, nparts);
	if (list.parts == RUNS_NONE) {
		free_list(w->d, &list);
		return STATUS_FULL;
	}
	list.nparts = nparts;
	w->list = list;
	return 0;
}

/* The site's new list: of its hits and this one. */
static int write_list(struct list_writer *w, const struct detour_site *site,
		      const struct bpt_hit *hit)
{
	const struct bpt_hit *all = w->d->hits.data;
	uint64_t nparts = needs_parts(w, hit) ? hit->nranges : 0;
	int status;

	for (uint32_t i = site->hits.first; i; i = all[i - 1].next)
		nparts += needs_parts(w, &all[i - 1]) ? all[i - 1].nranges : 0;
	status = take_list(w, site->nhits + 1, (uint32_t)min_u64(nparts, UINT32_MAX));
	if (status < 0)
		return status;
	for (uint32_t i = site->hits.first; i; i = all[i - 1].next)
		write_hit(w, &all[i - 1]);
	write_hit(w, hit);
	return 0;
}

/* A list that was in use stays as it is: the new one takes its place. */
static int replace_list(struct detours *d, const struct addr_range *ranges,
			struct detour_site *site, const struct bpt_hit *hit)
{
	const struct detour *detour = &d->list.data[site->detour];
	uint32_t number = (uint32_t)(site - d->sites.data);
	struct list_writer w = {.d = d, .ranges = ranges};
	int status;

	if (!decode_site(&detour->plan, number - detour->first_site, &w.in) &&
	    keeper_site_event(hit->kind) == KEEPER_SITE_RETURN)
		return STATUS_BADFMT;
	status = write_list(&w, site, hit);
	if (status < 0)
		return status;
	if (detour->is_on && site->list.n)
		*vec_push(&d->retired) = site->list;
	else
		free_list(d, &site->list);
	site->list = w.list;
	return 0;
}

static void set_light(const struct detours *d, uint32_t site, uint64_t address)
{
	atomic_store_explicit(&resident_light_table(&d->view)[site], address,
			      memory_order_release);
}

/* For these operands, which are the probe's. */
static uint32_t noted_light(const struct keeper_program *p, uint32_t probe,
			    uint32_t operands)
{
	return operands < p->noperands && p->operands[operands].probe == probe + 1
		       ? p->native.noted_lights[operands]
		       : 0;
}

/* In the code, for a site with this word; 0: none. */
static uint32_t light_at(const struct keeper_program *p, uint64_t word)
{
	const struct native_probe *native;
	uint32_t probe = RESIDENT_PROBE(word);

	if (!(word & RESIDENT_ALONE) || !p->native.bytes || probe >= p->nprobes)
		return 0;
	native = &p->native.probes[probe];
	if (word & RESIDENT_RETURNS)
		return native->light_result;
	if (resident_operands(word) && native->arguments)
		return noted_light(p, probe, resident_operands(word) - 1);
	return native->light_entry;
}

/* In the text, for a site whose list has this word; 0: none. */
static uint64_t leaving_at(const struct detours *d, uint64_t word)
{
	const struct resident_hit *hit = &resident_hit_table(&d->view)[(uint32_t)word];
	const uint64_t by_register = d->place.text + detours_text()->leaving;

	if (word >> 32 != 1 || hit->kind != RESIDENT_LEAVING ||
	    hit->reg == RESIDENT_NO_REG || !hit->nranges)
		return 0;
	return by_register + hit->reg * RESIDENT_LEAVING_BYTES;
}

void detours_find_light(struct detours *d, const struct keeper_program *p,
			uint32_t site)
{
	uint64_t word = atomic_load_explicit(&resident_site_table(&d->view)[site].hits,
					     memory_order_relaxed);
	uint32_t at = light_at(p, word);
	bool is_there = at && d->code.now.v && d->program_version == p->version;

	set_light(d, site, is_there ? d->code.now.v + at : leaving_at(d, word));
}

void detours_find_lights(struct detours *d, const struct keeper_program *p)
{
	for (uint32_t i = 0; i < d->sites.len; i++)
		detours_find_light(d, p, i);
}

void detours_mute(const struct detours *d, uint32_t site)
{
	set_light(d, site, 0);
	atomic_store_explicit(&resident_site_table(&d->view)[site].hits,
			      resident_list(0, 0), memory_order_release);
}

int detours_add_hit(struct detours *d, const struct addr_range *ranges, uint32_t number,
		    const struct bpt_hit *hit)
{
	struct resident_site *to = resident_site_table(&d->view);
	struct detour_site *site = &d->sites.data[number];
	uint64_t word = site->nhits ? 0 : word_alone(d, number, hit);

	if (!word) {
		int status = replace_list(d, ranges, site, hit);

		if (status < 0)
			return status;
		word = resident_list(site->list.first, site->list.n);
	}
	set_light(d, number, 0);
	resident_spot_table(&d->view)[number].place = hit->place;
	bpt_hits_add(&d->hits, &site->hits, hit);
	site->nhits++;
	if (d->list.data[site->detour].plan.tactic == HOOK_CALL)
		word |= RESIDENT_PUSHED;
	atomic_store_explicit(&to[number].hits, word, memory_order_release);
	return 0;
}

int detours_take_numbers(struct detours *d, struct detour *detour)
{
	uint32_t n = detour->plan.nsites, first = runs_take(&d->site_numbers, n);

	if (first == RUNS_NONE)
		return STATUS_FULL;
	while (d->sites.len < d->site_numbers.end)
		*vec_push(&d->sites) = (struct detour_site){0};
	detour->first_site = first;
	detour->number = runs_take(&d->numbers, 1);
	while (d->list.len < d->numbers.end)
		*vec_push(&d->list) = (struct detour){.is_gone = true};
	return 0;
}

void detours_give_back(struct detours *d, const struct detour *detour)
{
	struct resident_site *table = resident_site_table(&d->view);

	for (uint32_t i = 0; i < detour->plan.nsites; i++) {
		struct detour_site *site = &d->sites.data[detour->first_site + i];

		bpt_hits_give(&d->hits, &site->hits);
		free_list(d, &site->list);
		*site = (struct detour_site){0};
		set_light(d, detour->first_site + i, 0);
		/* The stub may be overwritten. */
		table[detour->first_site + i].epilogue = 0;
	}
	runs_give(&d->site_numbers, detour->first_site, detour->plan.nsites);
	runs_give(&d->numbers, detour->number, 1);
}

/* Threads of the process that lie about it harm none but themselves. */
bool detours_are_idle(const struct detours *d)
{
	for (uint32_t i = 0; i < d->ntcbs; i++)
		if (resident_tcb_busy(resident_tcb_at(&d->view, i)))
			return false;
	return true;
}

size_t detours_places(const struct detour *detour,
		      struct detour_place out[DETOUR_PLACES_MAX])
{
	const struct hook_plan *plan = &detour->plan;

	out[0] = (struct detour_place){plan->patch, plan->original, detour->patch,
				       hook_plan_patched(plan)};
	if (!hook_plan_has_island(plan))
		return 1;
	out[1] = (struct detour_place){plan->island.at, plan->island.original,
				       detour->island,
				       hook_island_written(&plan->island)};
	return 2;
}

static void hide_place(const struct detour_place *p, uint64_t addr, uint8_t *buf,
		       size_t n)
{
	for (uint64_t i = 0; i < p->n; i++) {
		uint64_t at = p->at.v + i - addr;

		if (at < n && buf[at] == p->ours[i])
			buf[at] = p->own[i];
	}
}

static void hide_detour(const struct detour *detour, uint64_t addr, uint8_t *buf,
			size_t n)
{
	struct detour_place places[DETOUR_PLACES_MAX];
	size_t nplaces = detours_places(detour, places);

	for (size_t i = 0; i < nplaces; i++)
		hide_place(&places[i], addr, buf, n);
}

static void hide_at(const struct detours *d, uint64_t at, uint64_t addr, uint8_t *buf,
		    size_t n)
{
	const struct detour *detour = at_patch(d, at), *over = at_island(d, at);

	if (detour)
		hide_detour(detour, addr, buf, n);
	if (over)
		hide_detour(over, addr, buf, n);
}

void detours_hide(const struct detours *d, taddr from, void *buf, size_t n)
{
	uint64_t addr = from.v;

	if (n < d->list.len) {
		for (uint64_t at = addr - HOOK_COVERED_MAX + 1; at != addr + n; at++) {
			if (at % GRANULE ||
			    detours_may_have(d, taddr_of(at), taddr_of(at + GRANULE)))
				hide_at(d, at, addr, buf, n);
			else
				at += min_u64(GRANULE, addr + n - at) - 1;
		}
		return;
	}
	for (size_t i = 0; i < d->list.len; i++)
		if (d->list.data[i].is_on)
			hide_detour(&d->list.data[i], addr, buf, n);
}

bool detours_have_islands(const struct detours *d, taddr lo, uint64_t n)
{
	return last_in(d, &d->by_island, lo.v - (HOOK_JUMP - 1), lo.v + n) != NULL;
}

void detours_turn_on(struct detours *d, struct detour *detour)
{
	uint64_t n;
	taddr at;

	detour->is_on = true;
	places_set(&d->by_patch, detour->plan.patch, detour->number);
	for (uint32_t i = 0; island_of(detour, i, &at, &n); i++)
		places_set(&d->by_island, at, detour->number);
}

void detours_turn_off(struct detours *d, struct detour *detour)
{
	uint64_t n;
	taddr at;

	detour->is_on = false;
	places_remove(&d->by_patch, detour->plan.patch);
	for (uint32_t i = 0; island_of(detour, i, &at, &n); i++)
		places_remove(&d->by_island, at);
}

void detours_forget(struct detours *d, struct addr_range r)
{
	for (size_t i = 0; i < d->list.len; i++) {
		struct detour *detour = &d->list.data[i];

		if (detour->is_gone || !addr_range_holds(&r, detour->plan.patch))
			continue;
		if (detour->is_on)
			detours_turn_off(d, detour);
		detour->is_gone = true;
	}
}

/* The stubs at the end of the field whose code has gone. */
static void trim(struct detours *d, struct detour_field *f, const taddr *pcs, size_t n)
{
	while (f->detours.len) {
		uint32_t number = f->detours.data[f->detours.len - 1];
		struct detour *last = &d->list.data[number];

		if (!last->is_gone)
			return;
		for (size_t i = 0; i < n; i++)
			if (taddr_in(pcs[i], last->stub, f->stubs_end))
				return;
		f->stubs_end = last->stub;
		f->nswitches = (uint32_t)((last->switch_word.v - f->switches.v) /
					  sizeof(uint64_t));
		f->detours.len--;
		detours_give_back(d, last);
	}
}

/* Whether a thread may be at a site's list without being busy (resident_text.leaving). */
static bool is_any_before_busy(const struct detours *d, const taddr *pcs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (detours_is_before_busy(pcs[i].v - d->place.text))
			return true;
	return false;
}

void detours_recycle(struct detours *d, const taddr *pcs, size_t n)
{
	if (!d->is_installed)
		return;
	for (size_t i = 0; i < d->fields.len; i++)
		trim(d, &d->fields.data[i], pcs, n);
	if (!detours_are_idle(d) || is_any_before_busy(d, pcs, n))
		return;
	for (size_t i = 0; i < d->retired.len; i++)
		free_list(d, &d->retired.data[i]);
	d->retired.len = 0;
}

bool detours_are_copied(const struct detours *d, int mem)
{
	uint8_t bytes[HOOK_PATCH_MAX];

	for (size_t i = 0; i < d->list.len; i++) {
		const struct detour *detour = &d->list.data[i];
		size_t n = hook_plan_patched(&detour->plan);

		if (detour->is_on)
			return mem_read(mem, detour->plan.patch, bytes, n) == 0 &&
			       memcmp(bytes, detour->patch, n) == 0;
	}
	return false;
}
