/* SPDX-License-Identifier: MIT */
#include "tracer/targets/pending_sites.h"
#include "vm/base/hash.h"
#include "vm/base/host/vec.h"

#define PAGE 4096

/* Sites come in the order of their addresses: hashes of a page are neighbours. */
static uint64_t hash_of(uint64_t addr)
{
	return hash_u64(addr / PAGE) + addr % PAGE / 4;
}

static void add_placed(struct target *target, struct placed_site site)
{
	*vec_push(&target->placed) = site;
	index_add(&target->placed_at, hash_of(site.addr));
}

/* Whether the probe has a site at the address already. Remembers the site if not. */
static bool is_placed(struct target *target, uint64_t addr, uint32_t probe)
{
	const struct index *x = &target->placed_at;

	for (uint32_t i = index_first(x, hash_of(addr)); i; i = index_next(x, i)) {
		const struct placed_site *site = &target->placed.data[i - 1];

		if (site->addr == addr && site->probe == probe)
			return true;
	}
	add_placed(target, (struct placed_site){addr, probe});
	return false;
}

size_t pending_sites_at(const struct target *target, taddr addr)
{
	const struct index *x = &target->placed_at;
	size_t n = 0;

	for (uint32_t i = index_first(x, hash_of(addr.v)); i; i = index_next(x, i))
		n += target->placed.data[i - 1].addr == addr.v;
	return n;
}

/* Takes out what was forgotten, when that is more than half. */
static void compact_placed(struct target *target)
{
	size_t n = target->placed.len;

	index_release(&target->placed_at);
	target->placed.len = 0;
	for (size_t i = 0; i < n; i++)
		if (target->placed.data[i].addr)
			add_placed(target, target->placed.data[i]);
	target->nforgotten = 0;
}

static void forget_frames(struct target *target, struct addr_range r)
{
	size_t n = 0;

	for (size_t i = 0; i < target->frames.len; i++)
		if (!addr_range_holds(&r, target->frames.data[i].range.lo))
			target->frames.data[n++] = target->frames.data[i];
	target->frames.len = n;
	map_release(&target->watched);
}

void pending_sites_forget(struct target *target, struct addr_range r)
{
	forget_frames(target, r);
	for (size_t i = 0; i < target->placed.len; i++) {
		struct placed_site *site = &target->placed.data[i];

		if (!site->addr || !taddr_in(taddr_of(site->addr), r.lo, r.hi))
			continue;
		site->addr = 0;
		target->nforgotten++;
	}
	if (target->nforgotten > target->placed.len / 2)
		compact_placed(target);
}

/* Successive sites of one function share its ranges. */
static bool are_last_ranges(const struct target *target,
			    const struct pending_site *site)
{
	size_t n = site->nranges;
	const struct addr_range *last;

	if (!n || target->ranges.len < n)
		return false;
	last = target->ranges.data + target->ranges.len - n;
	for (size_t i = 0; i < n; i++)
		if (last[i].lo.v != site->ranges[i].lo.v ||
		    last[i].hi.v != site->ranges[i].hi.v)
			return false;
	return true;
}

static void set_ranges(struct target *target, const struct pending_site *site,
		       struct keeper_site *out)
{
	if (!are_last_ranges(target, site))
		for (size_t i = 0; i < site->nranges; i++)
			*vec_push(&target->ranges) = site->ranges[i];
	out->nranges = (uint32_t)site->nranges;
	out->first_range = (uint32_t)(target->ranges.len - site->nranges);
}

void pending_sites_add(struct target *target, const struct pending_site *site)
{
	struct target_pending *out;

	if (is_placed(target, site->addr.v, site->probe))
		return;
	out = vec_push(&target->sites);
	*out = (struct target_pending){
		.site = {.addr = site->addr,
			 .probe = site->probe,
			 .kind = (uint16_t)(site->kind +
					    KEEPER_SITE_CONVENTION * site->convention),
			 .arg0 = site->arg0},
		.module = site->module,
		.part = site->part,
	};
	if (site->kind == KEEPER_SITE_RETURN)
		set_ranges(target, site, &out->site);
	else if (site->convention == REGS_CONVENTION_NOTE)
		out->site.first_range = site->operands;
}

static bool has_resident_clauses(const struct tracer *t, uint32_t probe)
{
	const struct probe *p = probes_get(&t->probes, probe);

	for (size_t i = 0; p && i < p->enablings.len; i++) {
		uint32_t clause = p->enablings.data[i].clause;

		if (!(program_clause(t->image, clause)->contexts & CONTEXT_RESIDENT))
			return false;
	}
	return true;
}

uint32_t pending_sites_arguments(const struct tracer *t, uint32_t probe)
{
	const struct probe *p = probes_get(&t->probes, probe);
	uint32_t used = 0;

	for (size_t i = 0; p && i < p->enablings.len; i++)
		used |= program_arguments(
			t->image,
			program_clause(t->image, p->enablings.data[i].clause));
	return used;
}

/* Whether a clause uses an argument that is in a vector register at the site. */
static bool uses_vectors(const struct tracer *t, const struct keeper_site *site)
{
	uint32_t used = keeper_site_convention(site->kind) == REGS_CONVENTION_NOTE
				? pending_sites_arguments(t, site->probe)
				: 0;

	for (uint32_t i = 0; i < PROBE_OPERANDS_MAX && used; i++)
		if (used >> i & 1 && t->operands.data[site->first_range].arg[i].kind ==
					     PROBE_OPERAND_VECTOR)
			return true;
	return false;
}

bool pending_sites_can_jump(const struct tracer *t, const struct keeper_site *site)
{
	return pending_sites_can_be_resident(t, site->probe) && !uses_vectors(t, site);
}

/* A fault, and a truncated stack, fire in the context in which they occur. */
bool pending_sites_can_be_resident(const struct tracer *t, uint32_t probe)
{
	return has_resident_clauses(t, probe) && has_resident_clauses(t, PROBE_ERROR) &&
	       has_resident_clauses(t, t->diag.missed_ustack);
}
