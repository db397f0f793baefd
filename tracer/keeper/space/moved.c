/* SPDX-License-Identifier: MIT */
/*
 * Code that the program has moved by mremap(2), with our bytes in it. A jump leads to
 * another address from there, and a breakpoint is not known: so both are taken out where
 * they are now. A detour of which only one part has moved is taken out as a whole.
 */
#include "tracer/keeper/os/mem.h"
#include "tracer/keeper/space/space.h"
#include "vm/base/host/vec.h"

#include <string.h>

#define LATELY_MAX 65536 /* bytes of ours that are remembered when they are lost */

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

static bool has_part_moved(const struct text_patches *parts,
			   const struct mapping_move *m)
{
	for (size_t i = 0; i < parts->len; i++)
		if (has_moved(m, parts->data[i].at))
			return true;
	return false;
}

static bool restore_detours(const struct detours *d, const struct space *s,
			    const struct mapping_move *m)
{
	struct text_patches parts = {0};
	bool is_any = false;

	for (size_t i = 0; i < d->list.len; i++) {
		parts.len = 0;
		if (!d->list.data[i].is_on)
			continue;
		detours_add_patches(&d->list.data[i], true, &parts);
		if (!has_part_moved(&parts, m))
			continue;
		for (size_t k = 0; k < parts.len; k++)
			take_out(s, m, &parts.data[k]);
		is_any = true;
	}
	vec_release(&parts);
	return is_any;
}

/*
 * The front may have found that sites are lost before the thread came here. If the range
 * is mapped anew since then, bytes that are not ours stay.
 */
static bool restore_lately_lost(const struct space *s, const struct mapping_move *m)
{
	bool is_any = false;

	for (size_t i = 0; i < s->lately_lost.len; i++)
		if (has_moved(m, s->lately_lost.data[i].at))
			is_any |= take_out(s, m, &s->lately_lost.data[i]);
	return is_any;
}

/* Large ranges are not asked for: going through all that is ours takes less time. */
static bool may_have(const struct granules *g, const struct addr_range *r)
{
	const uint64_t most = UINT64_C(64) * 4096;

	return r->hi.v - r->lo.v > most || granules_have(g, r->lo, r->hi);
}

bool space_restore_moved(const struct space *s, const struct mapping_move *m)
{
	bool is_any = restore_lately_lost(s, m);

	if (may_have(&s->bpts.at, &m->from))
		is_any |= restore_breakpoints(s, m);
	if (s->detours && may_have(&s->detours->bytes, &m->from))
		is_any |= restore_detours(s->detours, s, m);
	return is_any;
}

void space_note_lost(struct space *s, struct addr_range r)
{
	for (size_t i = 0; i < s->bpts.sites.len; i++) {
		const struct bpt_site *site = &s->bpts.sites.data[i];

		if (site->is_set && addr_range_holds(&r, site->in.addr))
			*vec_push(&s->lately_lost) = undo_of(site);
	}
	for (size_t i = 0; s->detours && i < s->detours->list.len; i++) {
		const struct detour *d = &s->detours->list.data[i];

		if (d->is_on && addr_range_holds(&r, d->plan.patch))
			detours_add_patches(d, true, &s->lately_lost);
	}
	if (s->lately_lost.len > LATELY_MAX)
		s->lately_lost.len = 0;
}

/* Memory moves in pages. Our byte is there, and is not where it was. */
static bool may_be_from(const struct space *s, taddr trap, taddr from)
{
	uint8_t now;

	return (trap.v ^ from.v) % 4096 == 0 && trap.v != from.v &&
	       mem_read(s->mem, trap, &now, 1) == 0 && now == BPT_BYTE &&
	       (mem_read(s->mem, from, &now, 1) || now != BPT_BYTE);
}

static bool has_rest(const struct space *s, taddr trap, const struct insn *in)
{
	uint8_t now[INSN_MAX];

	return mem_read(s->mem, trap, now, in->len) == 0 &&
	       memcmp(now + 1, in->bytes + 1, in->len - 1u) == 0;
}

bool space_finds_moved(const struct space *s, taddr trap, taddr *from)
{
	for (size_t i = 0; i < s->bpts.sites.len; i++) {
		const struct bpt_site *site = &s->bpts.sites.data[i];

		*from = site->in.addr;
		if (site->is_set && may_be_from(s, trap, *from) &&
		    has_rest(s, trap, &site->in))
			return true;
	}
	for (size_t i = 0; i < s->lately_lost.len; i++) {
		const struct text_patch *p = &s->lately_lost.data[i];

		*from = p->at;
		if (p->n == 1 && p->from[0] == BPT_BYTE && may_be_from(s, trap, *from))
			return true;
	}
	return false;
}
