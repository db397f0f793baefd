/* SPDX-License-Identifier: MIT */
/*
 * Code that the program has moved by mremap(2), with our bytes in it. A jump leads to
 * another address from there, and a breakpoint is not known: so both are taken out where
 * they are now. A detour of which only one part has moved is taken out as a whole.
 *
 * Code that it has written over.
 */
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/space/space.h"
#include "vm/base/bytes.h"
#include "vm/base/host/map.h"
#include "vm/base/host/oom.h"
#include "vm/base/host/vec.h"

#include <stdlib.h>
#include <string.h>

#define LATELY_MAX 65536 /* patches of ours that are remembered when they are lost */

static bool has_moved(const struct mapping_move *m, taddr at)
{
	return addr_range_holds(&m->from, at);
}

static taddr place_now(const struct mapping_move *m, taddr at)
{
	return has_moved(m, at) ? taddr_of(at.v - m->from.lo.v + m->to.v) : at;
}

/* Byte by byte: the program may have written some itself. False: none is ours. */
static bool take_out(const struct space *s, const struct mapping_move *m,
		     const struct text_patch *p)
{
	const taddr at = place_now(m, p->at);
	uint8_t now[HOOK_COVERED_MAX];
	bool is_ours = false;

	if (mem_read(s->mem, at, now, p->n))
		return false;
	for (size_t i = 0; i < p->n; i++) {
		if (now[i] != p->from[i] || p->from[i] == p->to[i])
			continue;
		now[i] = p->to[i];
		is_ours = true;
	}
	return is_ours && mem_write(s->mem, at, now, p->n) == 0;
}

static struct text_patch undo_of(const struct bpt_site *site)
{
	return (struct text_patch){.at = site->in.addr,
				   .from = {BPT_BYTE},
				   .to = {site->in.bytes[0]},
				   .n = 1};
}

static bool restore_breakpoints(const struct space *s, const struct mapping_move *m)
{
	bool is_any = false;

	for (size_t i = 0; i < s->bpts.sites.len; i++) {
		const struct bpt_site *site = &s->bpts.sites.data[i];
		const struct text_patch undo = undo_of(site);

		if (!site->is_set || !has_moved(m, undo.at))
			continue;
		take_out(s, m, &undo);
		is_any = true;
	}
	return is_any;
}

static size_t undos_of(const struct detour *d, struct text_patch out[DETOUR_PLACES_MAX])
{
	struct detour_place places[DETOUR_PLACES_MAX];
	size_t n = detours_places(d, places);

	for (size_t i = 0; i < n; i++) {
		out[i] = (struct text_patch){.at = places[i].at,
					     .n = (uint8_t)places[i].n};
		memcpy(out[i].from, places[i].ours, places[i].n);
		memcpy(out[i].to, places[i].own, places[i].n);
	}
	return n;
}

static bool has_part_moved(const struct detour *d, const struct mapping_move *m)
{
	struct detour_place places[DETOUR_PLACES_MAX];
	size_t n = detours_places(d, places);

	for (size_t i = 0; i < n; i++)
		if (has_moved(m, places[i].at))
			return true;
	return false;
}

static bool restore_detours(const struct detours *d, const struct space *s,
			    const struct mapping_move *m)
{
	struct text_patch parts[DETOUR_PLACES_MAX];
	bool is_any = false;

	for (size_t i = 0; i < d->list.len; i++) {
		const struct detour *detour = &d->list.data[i];
		size_t n;

		if (!detour->is_on || !has_part_moved(detour, m))
			continue;
		n = undos_of(detour, parts);
		for (size_t k = 0; k < n; k++)
			take_out(s, m, &parts[k]);
		is_any = true;
	}
	return is_any;
}

/*
 * Whether what follows the byte at an address is what followed that of a site: other code
 * may have a trap of its own there. Other sites may have changed some of it.
 */
static bool is_followed(const struct space *s, taddr at, const uint8_t *next, size_t n)
{
	const uint8_t jump = 0xe9, short_jump = 0xeb;
	uint8_t now[BPT_NEXT];

	if (n && mem_read(s->mem, taddr_of(at.v + 1), now, n))
		return false;
	for (size_t i = 0; i < n && now[i] != jump && now[i] != short_jump; i++)
		if (now[i] != next[i] && now[i] != BPT_BYTE)
			return false;
	return true;
}

/* Where our bytes stand as a whole, before code that is the site's. */
static bool stands_at(const struct space *s, const struct lost_patch *p, taddr at)
{
	uint8_t now[HOOK_COVERED_MAX];

	return mem_read(s->mem, at, now, p->patch.n) == 0 &&
	       memcmp(now, p->patch.from, p->patch.n) == 0 &&
	       is_followed(s, at, p->next, p->nnext);
}

/*
 * The front may have found that sites are lost before the thread came here. If the range
 * is mapped anew since then, bytes that are not ours stay.
 */
static bool restore_lately_lost(const struct space *s, const struct mapping_move *m)
{
	bool is_any = false;

	for (size_t i = 0; i < s->lately_lost.len; i++) {
		const struct lost_patch *p = &s->lately_lost.data[i];

		if (has_moved(m, p->patch.at) &&
		    stands_at(s, p, place_now(m, p->patch.at)))
			is_any |= take_out(s, m, &p->patch);
	}
	return is_any;
}

bool space_restore_moved(struct space *s, const struct mapping_move *m)
{
	bool is_any = restore_lately_lost(s, m);

	if (space_may_have_breakpoints(s, &m->from))
		is_any |= restore_breakpoints(s, m);
	if (space_may_have_detours(s, &m->from))
		is_any |= restore_detours(s->detours, s, m);
	if (is_any)
		s->moves.data[s->moves.n++ % SPACE_MOVES_MAX] = *m;
	return is_any;
}

/* ---- where jumps that have moved lead to ---- */

#define LANDINGS_MAX (HOOK_HEADS_MAX + 3)

static taddr landing_of(taddr at, const uint8_t jump[HOOK_JUMP])
{
	return taddr_add(at, HOOK_JUMP + (int32_t)bytes_load(jump + 1, 4));
}

/* Those of a short jump: it leads to the island, which may have moved as well. */
static size_t short_landings(const struct detour *d, struct space_landing *out)
{
	const struct hook_island *island = &d->plan.island;
	const taddr entry = hook_island_entry(island);

	out[0] = (struct space_landing){d->plan.patch, entry, false};
	out[1] = (struct space_landing){
		d->plan.patch, landing_of(entry, d->island + island->entry), false};
	out[2] = (struct space_landing){island->at, landing_of(island->at, d->island),
					false};
	return island->ninsns ? 3 : 2;
}

static size_t landings_of(const struct detour *d,
			  struct space_landing out[LANDINGS_MAX])
{
	const struct hook_plan *plan = &d->plan;

	if (plan->tactic == HOOK_JMP_SHORT)
		return short_landings(d, out);
	for (uint32_t i = 0; i < plan->nheads; i++)
		out[i] = (struct space_landing){taddr_add(plan->patch, plan->heads[i]),
						hook_chain_landing(plan, d->patch, i),
						false};
	if (plan->nheads)
		return plan->nheads;
	out[0] = (struct space_landing){plan->patch,
					plan->tactic == HOOK_JMP_PUN
						? plan->island.at
						: landing_of(plan->patch, d->patch),
					plan->tactic == HOOK_CALL};
	return 1;
}

/* Whether the jump at the address, or the jump that a short one leads to, goes there. */
static bool leads_to(const struct space *s, taddr at, taddr to, bool is_second)
{
	enum { CS = 0x2e, CALL = 0xe8, JMP = 0xe9, SHORT = 0xeb };
	uint8_t now[HOOK_HEAD_STEP + HOOK_JUMP];
	taddr next;
	size_t n = 0;

	if (mem_read(s->mem, at, now, sizeof(now)))
		return false;
	while (n < HOOK_HEAD_STEP && now[n] == CS)
		n++;
	if (now[n] == CALL || now[n] == JMP)
		return landing_of(taddr_add(at, (int64_t)n), now + n).v == to.v;
	if (now[n] != SHORT || is_second)
		return false;
	next = taddr_add(at, (int64_t)n + HOOK_SHORT + (int8_t)now[n + 1]);
	return next.v == to.v || leads_to(s, next, to, true);
}

static bool is_known_move(const struct space *s, taddr from, taddr to)
{
	for (uint32_t i = 0; i < min_u32(s->moves.n, SPACE_MOVES_MAX); i++) {
		const struct mapping_move *m = &s->moves.data[i];

		if (has_moved(m, from) && place_now(m, from).v == to.v)
			return true;
	}
	return false;
}

static bool is_landing(const struct space *s, const struct space_landing *l,
		       taddr fault, struct space_jump *out)
{
	const uint64_t distance = fault.v - l->landing.v;

	*out = (struct space_jump){l->at, taddr_of(l->at.v + distance), l->is_call};
	return distance && distance % 4096 == 0 &&
	       (leads_to(s, out->to, fault, false) ||
		is_known_move(s, out->from, out->to));
}

bool space_finds_moved_jump(const struct space *s, taddr fault, struct space_jump *out)
{
	struct space_landing landings[LANDINGS_MAX];

	for (size_t i = 0; s->detours && i < s->detours->list.len; i++) {
		const struct detour *d = &s->detours->list.data[i];
		size_t n = d->is_on ? landings_of(d, landings) : 0;

		for (size_t k = 0; k < n; k++)
			if (is_landing(s, &landings[k], fault, out))
				return true;
	}
	for (size_t i = 0; i < s->lately_led.len; i++)
		if (is_landing(s, &s->lately_led.data[i], fault, out))
			return true;
	return false;
}

bool space_has_moved_to(const struct space *s, taddr at)
{
	for (uint32_t i = 0; i < min_u32(s->moves.n, SPACE_MOVES_MAX); i++) {
		const struct mapping_move *m = &s->moves.data[i];

		if (at.v - m->to.v < m->from.hi.v - m->from.lo.v)
			return true;
	}
	return false;
}

static void note_landings(struct space *s, const struct detour *d)
{
	struct space_landing landings[LANDINGS_MAX];
	size_t n = landings_of(d, landings);

	for (size_t i = 0; i < n; i++)
		*vec_push(&s->lately_led) = landings[i];
}

static void note_lost_detour(struct space *s, const struct detour *d)
{
	struct text_patch parts[DETOUR_PLACES_MAX];
	size_t n = undos_of(d, parts);

	for (size_t i = 0; i < n; i++)
		*vec_push(&s->lately_lost) = (struct lost_patch){.patch = parts[i]};
}

static void note_lost_breakpoint(struct space *s, const struct bpt_site *site)
{
	struct lost_patch *p = vec_push(&s->lately_lost);

	*p = (struct lost_patch){.patch = undo_of(site), .nnext = site->nnext};
	memcpy(p->next, site->next, sizeof(p->next));
}

void space_note_lost(struct space *s, struct addr_range r)
{
	for (size_t i = 0; i < s->bpts.sites.len; i++) {
		const struct bpt_site *site = &s->bpts.sites.data[i];

		if (site->is_set && addr_range_holds(&r, site->in.addr))
			note_lost_breakpoint(s, site);
	}
	for (size_t i = 0; s->detours && i < s->detours->list.len; i++) {
		const struct detour *d = &s->detours->list.data[i];

		if (!d->is_on || !addr_range_holds(&r, d->plan.patch))
			continue;
		note_lost_detour(s, d);
		note_landings(s, d);
	}
	if (s->lately_lost.len > LATELY_MAX)
		s->lately_lost.len = s->lately_led.len = 0;
}

/* Memory moves in pages. Our byte is there, and is not where it was. */
static bool may_be_from(const struct space *s, taddr trap, taddr from)
{
	uint8_t now;

	return (trap.v ^ from.v) % 4096 == 0 && trap.v != from.v &&
	       mem_read(s->mem, trap, &now, 1) == 0 && now == BPT_BYTE &&
	       (mem_read(s->mem, from, &now, 1) || now != BPT_BYTE);
}

bool space_finds_moved(const struct space *s, taddr trap, taddr *from)
{
	for (size_t i = 0; i < s->bpts.sites.len; i++) {
		const struct bpt_site *site = &s->bpts.sites.data[i];

		*from = site->in.addr;
		if (site->is_set && may_be_from(s, trap, *from) &&
		    is_followed(s, trap, site->next, site->nnext))
			return true;
	}
	for (size_t i = 0; i < s->lately_lost.len; i++) {
		const struct lost_patch *p = &s->lately_lost.data[i];

		*from = p->patch.at;
		if (p->patch.n == 1 && may_be_from(s, trap, *from) &&
		    stands_at(s, p, trap))
			return true;
	}
	return false;
}

/* ---- what it has written over ---- */

bool space_finds_changed(const struct space *s, const struct bpt_site *site)
{
	const struct insn *in = &site->in;
	uint8_t now[INSN_MAX];

	/* A thread has run there, so the page is there: that need not be asked, which
	 * costs as much again as the rest. It may not be readable for the program. */
	if (mem_load(s->mem, in->addr, now, in->len) &&
	    mem_read(s->mem, in->addr, now, in->len))
		return false;
	if ((now[0] == BPT_BYTE || now[0] == in->bytes[0]) &&
	    memcmp(now + 1, in->bytes + 1, in->len - 1u) == 0)
		return false;
	space_hide(s, in->addr, now, in->len); /* others in the middle of it */
	return memcmp(now, in->bytes, in->len) != 0;
}

void space_lose_site(struct space *s, struct bpt_site *site)
{
	uint32_t number = bpt_number(&s->bpts, site);
	const struct bpt_list list = {&number, 1, 1};

	space_clear_breakpoints(s, &list);
	s->bpts.nset -= site->is_set; /* what is there is not ours */
	site->is_set = false;
	site->has_changed = true;
}

struct changes {
	const struct space *space;
	struct mem_pages page;
	struct map seen; /* probes */
	struct keeper_ev_changed *out;
};

static void note_probes(struct changes *c, const struct bpt_hits *hits, uint32_t hit)
{
	uint64_t unused;

	for (; hit; hit = hits->data[hit - 1].next) {
		const struct bpt_hit *h = &hits->data[hit - 1];

		if (h->kind == KEEPER_SITE_HOLD || map_get(&c->seen, h->probe, &unused))
			continue;
		map_set(&c->seen, h->probe, 1);
		if (c->out->nprobes < KEEPER_CHANGED_MAX)
			c->out->probes[c->out->nprobes] = h->probe;
		c->out->nprobes++;
	}
}

/* One place: n bytes of the program, of which the first nours are ours. */
struct look {
	taddr at;
	const uint8_t *ours, *own;
	size_t nours, n;
};

/*
 * Whether the memory is there, but not what was written, or something else beside it
 * than the program's own bytes with ours of other places.
 */
static bool is_other(struct changes *c, const struct look *l)
{
	uint8_t now[HOOK_COVERED_MAX];
	const size_t n = max_u64(l->nours, l->n);

	if (mem_pages_read(&c->page, l->at, now, n))
		return false;
	if (memcmp(now, l->ours, l->nours) != 0)
		return true;
	if (n == l->nours ||
	    memcmp(now + l->nours, l->own + l->nours, n - l->nours) == 0)
		return false;
	space_hide(c->space, l->at, now, n);
	return memcmp(now, l->own, n) != 0;
}

static bool has_breakpoint_changed(struct changes *c, const struct bpt_site *site)
{
	static const uint8_t ours = BPT_BYTE;
	const struct insn *in = &site->in;

	return is_other(c, &(struct look){in->addr, &ours, in->bytes, 1, in->len});
}

static bool has_detour_changed(struct changes *c, const struct detour *d)
{
	const struct hook_plan *plan = &d->plan;

	return is_other(c, &(struct look){plan->patch, d->patch, plan->original,
					  hook_plan_patched(plan), plan->covered});
}

static void look_for_changes(struct changes *c)
{
	const struct space *s = c->space;
	const struct detours *d = s->detours;

	for (size_t i = 0; i < s->bpts.sites.len; i++) {
		const struct bpt_site *site = &s->bpts.sites.data[i];

		if (site->has_changed ||
		    (site->is_set && has_breakpoint_changed(c, site)))
			note_probes(c, &s->bpts.hits, site->hits.first);
	}
	for (size_t i = 0; d && i < d->list.len; i++) {
		const struct detour *detour = &d->list.data[i];

		if (!detour->is_on || !has_detour_changed(c, detour))
			continue;
		for (uint32_t k = 0; k < detour->plan.nsites; k++)
			note_probes(c, &d->hits,
				    d->sites.data[detour->first_site + k].hits.first);
	}
}

void space_find_changed(const struct space *s, const struct procfs_maps *maps,
			struct keeper_ev_changed *out)
{
	struct changes *c = oom_calloc(1, sizeof(*c)); /* it has a page */

	*out = (struct keeper_ev_changed){0};
	c->space = s;
	c->page.fd = s->mem;
	c->page.maps = maps;
	c->out = out;
	look_for_changes(c);
	map_release(&c->seen);
	free(c);
}
