/* SPDX-License-Identifier: MIT */
#include "tracer/keeper/space/space.h"
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/frames/frames.h"
#include "tracer/keeper/space/stacks.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#ifdef DTRACE_SMALL_LIMITS
#define RANGES_MIN 1024 /* fewer are never compacted */
#else
#define RANGES_MIN 65536
#endif

struct space *space_new(void)
{
	struct space *s = oom_calloc(1, sizeof(*s));

	s->mem = -1;
	s->refs = 1;
	return s;
}

int space_open(struct space *s, int pid)
{
	int mem = mem_open(pid);

	if (mem < 0)
		return mem;
	s->mem = mem;
	return 0;
}

struct space *space_ref(struct space *s)
{
	s->refs++;
	return s;
}

void space_unref(struct space *s)
{
	if (--s->refs)
		return;
	if (s->mem >= 0)
		mem_close(s->mem);
	undo_log_release(&s->undo_log);
	bpt_release(&s->bpts);
	xol_release(&s->xol);
	vec_release(&s->ranges);
	vec_release(&s->mappings);
	vec_release(&s->semaphores);
	vec_release(&s->lately_lost);
	vec_release(&s->lately_led);
	detours_free(s->detours);
	stacks_free(s->stacks);
	frames_free(s->frames);
	free(s);
}

void space_add_mapping(struct space *s, taddr lo, uint64_t size)
{
	*vec_push(&s->mappings) = (struct space_mapping){lo, size};
	undo_log_note_memory(&s->undo_log, s->mappings.len - 1, lo, size);
}

bool space_pop_mapping(struct space *s, struct space_mapping *out)
{
	if (!s->mappings.len)
		return false;
	*out = s->mappings.data[--s->mappings.len];
	undo_log_note_memory(&s->undo_log, s->mappings.len, out->lo, 0);
	return true;
}

void space_grow_mapping(struct space *s, taddr lo, uint64_t size)
{
	for (size_t i = 0; i < s->mappings.len; i++)
		if (s->mappings.data[i].lo.v == lo.v) {
			s->mappings.data[i].size = size;
			undo_log_note_memory(&s->undo_log, i, lo, size);
		}
}

struct space_place space_where(const struct space *s, taddr pc, taddr sp)
{
	struct space_place p = {.where = WHERE_ORIGINAL};
	uint32_t number;

	p.site = bpt_find(&s->bpts, taddr_add(pc, -1));
	if (p.site) {
		p.where = p.site->in.len == 1 ? WHERE_AMBIGUOUS : WHERE_TRAPPED;
	} else if (xol_find(&s->xol, pc, &number)) {
		p.site = &s->bpts.sites.data[number];
		p.where = pc.v < p.site->slot.at.v + p.site->slot.insn_len
				  ? WHERE_SLOT_BEFORE
				  : WHERE_SLOT_AFTER;
	} else if (s->detours) {
		p.where = detours_where(s->detours, pc, sp, &p.detour);
	}
	return p;
}

void space_hide(const struct space *s, taddr addr, void *buf, size_t n)
{
	if (s->detours)
		detours_hide(s->detours, addr, buf, n);
	bpt_hide(&s->bpts, addr, buf, n);
}

static bool overlap(taddr a, uint64_t na, taddr b, uint64_t nb)
{
	return b.v < a.v + na && b.v + nb > a.v;
}

static bool is_set_in(const struct bpt_site *site, const struct addr_range *r)
{
	return site->is_set &&
	       overlap(r->lo, r->hi.v - r->lo.v, site->in.addr, site->in.len);
}

/* Large ranges are not asked for: going through all that is ours takes less time. */
static bool is_large(const struct addr_range *r)
{
	return r->hi.v - r->lo.v > UINT64_C(64) * 4096;
}

bool space_may_have_breakpoints(const struct space *s, const struct addr_range *r)
{
	return is_large(r) || places_may_have(&s->bpts.by_addr, r->lo, r->hi);
}

bool space_may_have_detours(const struct space *s, const struct addr_range *r)
{
	return s->detours &&
	       (is_large(r) || detours_may_have(s->detours, r->lo, r->hi));
}

bool space_has_sites(const struct space *s, struct addr_range r)
{
	struct bpt_list numbers = {0};
	bool has_any = false;

	if (r.lo.v >= r.hi.v)
		return false;
	if (space_may_have_breakpoints(s, &r))
		for (size_t i = 0; i < s->bpts.sites.len && !has_any; i++)
			has_any = is_set_in(&s->bpts.sites.data[i], &r);
	if (!has_any)
		space_list_detours(s, r, &numbers);
	has_any |= numbers.len != 0;
	vec_release(&numbers);
	return has_any;
}

void space_note_writable(struct space *s, struct addr_range r)
{
	for (size_t i = 0; i < s->bpts.sites.len; i++) {
		struct bpt_site *site = &s->bpts.sites.data[i];

		site->may_change |= is_set_in(site, &r);
	}
}

void space_list_detours(const struct space *s, struct addr_range r,
			struct bpt_list *numbers)
{
	const struct detours *d = s->detours;
	const uint64_t n = r.hi.v - r.lo.v;

	if (r.lo.v >= r.hi.v || !space_may_have_detours(s, &r))
		return;
	for (size_t i = 0, end = d->list.len; i < end; i++) {
		const struct hook_plan *p = &d->list.data[i].plan;

		if (d->list.data[i].is_on &&
		    (overlap(r.lo, n, p->patch, hook_plan_held(p)) ||
		     (hook_plan_has_island(p) &&
		      overlap(r.lo, n, p->island.at, p->island.covered))))
			*vec_push(numbers) = (uint32_t)i;
	}
}

bool space_overlaps(const struct space *s, taddr addr, uint64_t n, taddr *at)
{
	for (size_t i = 0; i < s->bpts.sites.len; i++) {
		const struct bpt_site *site = &s->bpts.sites.data[i];

		*at = site->in.addr;
		if (site->is_set && overlap(addr, n, *at, site->in.len))
			return true;
	}
	for (size_t i = 0; s->detours && i < s->detours->list.len; i++) {
		const struct detour *detour = &s->detours->list.data[i];

		*at = detour->plan.patch;
		if (detour->is_on &&
		    overlap(addr, n, *at, hook_plan_held(&detour->plan)))
			return true;
		*at = detour->plan.island.at;
		if (detour->is_on && overlap(addr, n, *at, detour->plan.island.covered))
			return true;
	}
	return false;
}

bool space_is_copied(const struct space *s, int mem)
{
	for (size_t i = 0; i < s->bpts.sites.len; i++) {
		const struct bpt_site *site = &s->bpts.sites.data[i];
		uint8_t byte;

		if (site->is_set)
			return mem_read(mem, site->in.addr, &byte, 1) == 0 &&
			       byte == BPT_BYTE;
	}
	return s->detours && detours_are_copied(s->detours, mem);
}

static void note_site(const struct space *s, uint32_t number)
{
	const struct bpt_site *site = &s->bpts.sites.data[number];
	struct undo_site note = {.at = 0};

	if (!site->is_gone && !site->is_retired) {
		note.at = site->in.addr.v;
		note.own = site->in.bytes[0];
		note.is_set = site->is_set;
		/* Only what surely belongs to this code. */
		note.nnext = (uint8_t)min_u64(site->in.len - 1u, UNDO_NEXT);
		memcpy(note.next, site->in.bytes + 1, note.nnext);
	}
	undo_log_note_site(&s->undo_log, number, &note);
}

void space_restore(const struct space *s, int tid, int mem)
{
	bpt_restore(&s->bpts, tid, mem, mem != s->mem);
	if (s->detours)
		detour_texts_restore(s->detours, mem);
}

void space_note_semaphores(const struct space *s)
{
	size_t n = undo_log_nsemaphores(&s->undo_log), i;

	for (i = 0; i < s->semaphores.len; i++)
		undo_log_note_semaphore(&s->undo_log, i,
					s->semaphores.data[i].is_raised
						? s->semaphores.data[i].addr
						: taddr_of(0));
	for (; i < n; i++)
		undo_log_note_semaphore(&s->undo_log, i, taddr_of(0));
}

void space_note_restored(struct space *s)
{
	bpt_note_restored(&s->bpts);
	for (size_t i = 0; s->undo_log.head && i < s->bpts.sites.len; i++)
		note_site(s, (uint32_t)i);
	for (size_t i = 0; s->detours && i < s->detours->list.len; i++)
		if (s->detours->list.data[i].is_on)
			detours_turn_off(s->detours, &s->detours->list.data[i]);
}

/* The list of shadowed bytes that is to be kept up to date, or NULL. */
static struct shadow *shadow_of(const struct space *s)
{
	return s->detours && s->detours->shadow.is_kept ? &s->detours->shadow : NULL;
}

void space_forget(struct space *s, struct addr_range r)
{
	bpt_forget(&s->bpts, r);
	semaphores_forget(&s->semaphores, r);
	space_note_semaphores(s);
	frames_forget(s->frames, r);
	if (s->detours)
		detours_forget(s->detours, r);
	if (shadow_of(s))
		shadow_forget(shadow_of(s), &s->detours->view, r);
	if (!s->stacks)
		return;
	stacks_forget(s->stacks, r);
	if (s->detours && s->detours->is_installed)
		stacks_publish(s->stacks, &s->detours->view);
}

struct recycling {
	struct bpt_table *table;
	const taddr *pcs;
	size_t n;
};

/* Whether the site's code has gone, and no thread is in its slot. */
static bool has_gone(void *ctx, const struct xol_owner *slot)
{
	const struct recycling *r = ctx;
	const taddr end = taddr_add(slot->at, STEP_SLOT_MAX);

	if (!r->table->sites.data[slot->site].is_gone)
		return false;
	for (size_t i = 0; i < r->n; i++)
		if (taddr_in(r->pcs[i], slot->at, end))
			return false;
	bpt_give_back(r->table, slot->site);
	return true;
}

bool space_has_old_slots(const struct space *s)
{
	for (size_t i = 0; i < s->xol.len; i++) {
		const struct xol_area *a = &s->xol.data[i];

		if (a->slots.len &&
		    s->bpts.sites.data[a->slots.data[a->slots.len - 1].site].is_gone)
			return true;
	}
	return false;
}

void space_recycle_slots(struct space *s, const taddr *pcs, size_t n)
{
	struct recycling r = {&s->bpts, pcs, n};

	xol_trim(&s->xol, has_gone, &r);
}

/* Copies the ranges of the hits to the end of the new list, each one once. */
static void move_ranges(const struct space *s, struct bpt_hits *hits, struct map *moved,
			struct space_ranges *to)
{
	for (size_t i = 0; i < hits->len; i++) {
		struct bpt_hit *hit = &hits->data[i];
		uint64_t first = to->len;

		if (!hit->nranges)
			continue;
		if (!map_get(moved, hit->first_range + UINT64_C(1), &first)) {
			map_set(moved, hit->first_range + UINT64_C(1), first);
			for (uint32_t k = 0; k < hit->nranges; k++)
				*vec_push(to) = s->ranges.data[hit->first_range + k];
		}
		hit->first_range = (uint32_t)first;
	}
}

void space_compact_ranges(struct space *s)
{
	struct space_ranges kept = {0};
	struct map moved = {0};

	if (s->ranges.len < RANGES_MIN || s->ranges.len < 2 * s->nkept)
		return;
	move_ranges(s, &s->bpts.hits, &moved, &kept);
	if (s->detours)
		move_ranges(s, &s->detours->hits, &moved, &kept);
	map_release(&moved);
	vec_release(&s->ranges);
	s->ranges = kept;
	s->nkept = kept.len;
}

bool space_has_slots(const struct space *s, const struct bpt_list *list)
{
	taddr *addrs = oom_calloc(list->len + 1, sizeof(*addrs));
	size_t n = 0;
	bool has_room;

	for (size_t i = 0; i < list->len; i++) {
		const struct bpt_site *site = &s->bpts.sites.data[list->data[i]];

		if (site->how == STEP_XOL)
			addrs[n++] = site->in.addr;
	}
	has_room = xol_has_room(&s->xol, addrs, n);
	free(addrs);
	return has_room;
}

/* 0 when the site has the slot that it needs. */
static int place_slot(struct space *s, uint32_t number, struct xol_run *run)
{
	struct bpt_site *site = &s->bpts.sites.data[number];

	if (site->how != STEP_XOL || site->slot.at.v)
		return 0;
	return xol_place(&s->xol, &site->in, number, &site->slot, run);
}

int space_place_slots(struct space *s, const struct bpt_list *list,
		      struct bpt_list *ready)
{
	struct xol_run run = {.mem = s->mem};
	int status = 0, written;

	for (size_t i = 0; i < list->len; i++) {
		int placed = place_slot(s, list->data[i], &run);

		if (placed == 0 && ready)
			*vec_push(ready) = list->data[i];
		/* Memory that cannot be written outdoes a slot that has no room. */
		if (placed == STATUS_FAULT || placed == STATUS_GONE)
			status = placed;
		else if (placed && !status)
			status = STATUS_FULL;
	}
	written = xol_run_flush(&run);
	xol_run_release(&run);
	return written ? STATUS_GONE : status;
}

static void note_unset(void *ctx, uint32_t site)
{
	struct bpt_table *t = ctx;

	t->sites.data[site].is_set = false;
}

static void shadow_sites(struct space *s, const struct bpt_list *list)
{
	static const uint8_t ours = BPT_BYTE;
	struct shadow_list fresh = {0};

	for (size_t i = 0; i < list->len; i++) {
		const struct insn *in = &s->bpts.sites.data[list->data[i]].in;

		shadow_note(&fresh, in->addr, in->bytes, &ours, 1);
	}
	shadow_insert(shadow_of(s), &s->detours->view, &fresh);
}

void space_set_breakpoints(struct space *s, const struct bpt_list *list,
			   const struct procfs_maps *maps)
{
	struct bpt_write w = {&s->bpts, s->mem, maps, true, note_unset, &s->bpts};

	for (size_t i = 0; i < list->len; i++) {
		s->bpts.sites.data[list->data[i]].is_set = true;
		note_site(s, list->data[i]);
	}
	if (shadow_of(s))
		shadow_sites(s, list);
	bpt_write(&w, list);
	for (size_t i = 0; i < list->len; i++)
		s->bpts.nset += s->bpts.sites.data[list->data[i]].is_set;
}

static void note_still_set(void *ctx, uint32_t site)
{
	const struct bpt_table *t = ctx;

	t->sites.data[site].is_set = true;
}

void space_clear_breakpoints(struct space *s, const struct bpt_list *list)
{
	const struct procfs_maps maps = {0}; /* byte by byte */
	struct bpt_write w = {&s->bpts, s->mem, &maps, false, note_still_set, &s->bpts};

	for (size_t i = 0; i < list->len; i++)
		s->bpts.sites.data[list->data[i]].is_set = false;
	bpt_write(&w, list);
	for (size_t i = 0; i < list->len; i++) {
		struct bpt_site *site = &s->bpts.sites.data[list->data[i]];

		s->bpts.nset -= !site->is_set;
		site->was_set = true;
		note_site(s, list->data[i]);
	}
}

/* Whether what stands there is the site's instruction with our byte. */
static bool is_ours(const struct space *s, const struct bpt_site *site)
{
	uint8_t now[INSN_MAX];

	return site->is_set &&
	       mem_read(s->mem, site->in.addr, now, site->in.len) >= 0 &&
	       now[0] == BPT_BYTE &&
	       memcmp(now + 1, site->in.bytes + 1, site->in.len - 1u) == 0;
}

void space_drop_sites(struct space *s, struct addr_range r)
{
	struct bpt_list ours = {0};

	for (size_t i = 0; i < s->bpts.sites.len; i++) {
		struct bpt_site *site = &s->bpts.sites.data[i];

		if (site->is_gone || site->is_retired ||
		    !addr_range_holds(&r, site->in.addr))
			continue;
		if (is_ours(s, site))
			*vec_push(&ours) = (uint32_t)i;
		else
			bpt_retire(&s->bpts, site);
	}
	bpt_sort(&s->bpts, &ours);
	space_clear_breakpoints(s, &ours);
	for (size_t i = 0; i < ours.len; i++)
		bpt_retire(&s->bpts, &s->bpts.sites.data[ours.data[i]]);
	vec_release(&ours);
}

static struct undo_patch patch_of(const struct detour_place *p, taddr resume)
{
	struct undo_patch note = {.at = p->at.v, .resume = resume.v};

	static_assert(UNDO_PATCH >= HOOK_PATCH_MAX && UNDO_PATCH >= HOOK_COVERED_MAX,
		      "a patch and an island have room");
	note.n = (uint8_t)p->n;
	memcpy(note.own, p->own, p->n);
	memcpy(note.ours, p->ours, p->n);
	return note;
}

void space_note_detour(const struct space *s, const struct detour *detour)
{
	struct detour_place places[DETOUR_PLACES_MAX];
	size_t n = detours_places(detour, places);

	for (uint32_t i = 0; i < DETOUR_PLACES_MAX; i++) {
		struct undo_patch note = {.n = 0};

		if (i < n)
			note = patch_of(&places[i],
					i ? detour->plan.patch : taddr_of(0));
		undo_log_note_patch(&s->undo_log,
				    DETOUR_PLACES_MAX * detour->number + i, &note);
	}
}

void space_keep_shadow(struct space *s)
{
	struct detours *d = s->detours;
	struct detour_texts set = {0};
	struct bpt_list sites = {0};

	if (d->shadow.is_kept)
		return;
	d->shadow.is_kept = true;
	for (size_t i = 0; i < d->list.len; i++)
		if (d->list.data[i].is_on)
			detour_texts_add(&d->list.data[i], &set);
	for (size_t i = 0; i < s->bpts.sites.len; i++)
		if (s->bpts.sites.data[i].is_set)
			*vec_push(&sites) = (uint32_t)i;
	space_shadow_detours(s, &set);
	shadow_sites(s, &sites);
	vec_release(&set);
	vec_release(&sites);
}

void space_shadow_detours(struct space *s, const struct detour_texts *set)
{
	struct shadow_list fresh = {0};

	if (!shadow_of(s))
		return;
	for (size_t i = 0; i < set->len; i++) {
		const struct detour_text *t = &set->data[i];
		const struct detour_place p = detour_texts_place(s->detours, t);

		if (s->detours->list.data[t->number].is_on)
			shadow_note(&fresh, p.at, p.own, p.ours, p.n);
	}
	shadow_insert(shadow_of(s), &s->detours->view, &fresh);
}

void space_unshadow_detours(struct space *s, const struct detour_texts *undone)
{
	struct shadow_list gone = {0};

	if (!shadow_of(s))
		return;
	for (size_t i = 0; i < undone->len; i++) {
		const struct detour_place p =
			detour_texts_place(s->detours, &undone->data[i]);

		shadow_note(&gone, p.at, p.own, p.ours, p.n);
	}
	shadow_remove(shadow_of(s), &s->detours->view, &gone);
}
