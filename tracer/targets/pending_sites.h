/* SPDX-License-Identifier: MIT */
/*
 * The sites of a target's probes that the keeper does not know yet. They are gathered
 * in target->sites until site_batch.h sends them, or a listing shows them.
 */
#ifndef TRACER_TARGETS_PENDING_SITES_H
#define TRACER_TARGETS_PENDING_SITES_H

#include "tracer/targets/target.h"

struct pending_site {
	uint32_t probe;
	enum keeper_site_kind kind;
	enum regs_convention convention; /* of its function */
	enum tail_role role;		 /* for the probe's function */
	taddr addr;
	uint32_t arg0;
	uint32_t operands; /* with REGS_CONVENTION_NOTE: number in t->operands */
	const struct addr_range *ranges; /* of its function; used for RETURN sites */
	size_t nranges;
	const struct module *module; /* of a site that may take a jump; else NULL */
	struct addr_range part;	     /* of such a site: the part of its function */
};

/* Adds a site of the probe, unless the probe has one at this address. */
void pending_sites_add(struct target *target, const struct pending_site *site);

/* How many sites probes have there: a hold site counts as well. */
size_t pending_sites_at(const struct target *target, taddr addr);

/* Forgets the sites in a range that has been unmapped: others may be placed there. */
void pending_sites_forget(struct target *target, struct addr_range r);

/* Whether resident code can run all clauses of the probe, and those of ERROR and
 * diag:::missed-ustack, which may follow. */
bool pending_sites_can_be_resident(const struct tracer *t, uint32_t probe);
/* The same at this site: resident code cannot read vector registers. */
bool pending_sites_can_jump(const struct tracer *t, const struct keeper_site *site);
/* Bit N: a clause of the probe uses argN. */
uint32_t pending_sites_arguments(const struct tracer *t, uint32_t probe);

/*
 * The sites of a target, by address; at one address entry, offset, return, then by probe.
 * They stay where they were gathered: there is no room for a copy of all.
 */
struct ordered_sites {
	struct target_sites gathered;
	uint32_t *order; /* numbers of them; NULL: that is their order */
	uint8_t *users;	 /* private: of each page of them */
};

/* Takes over all pending sites, and notes which of them may take a jump. */
void pending_sites_order(const struct tracer *t, struct target *target,
			 struct ordered_sites *out);
/*
 * The n sites from number `first` on are needed no more: their memory goes back to the
 * system, in whole pages. Each once.
 */
void pending_sites_drop(struct ordered_sites *sites, size_t first, size_t n);
void pending_sites_release(struct ordered_sites *sites);

static inline struct target_pending *ordered_site(const struct ordered_sites *s,
						  size_t i)
{
	return &s->gathered.data[s->order ? s->order[i] : i];
}

/*
 * Restartable sequences (rseq(2)) are code that the kernel begins again when a thread was
 * stopped in it. A breakpoint there would stop each attempt, and an instruction that was
 * moved runs without the kernel's protection. So of the sites those whose instruction is
 * in one, or is the last before it, get the result KEEPER_SITE_REFUSED.
 * Needs the symbols of the sites' modules. A message tells of a module whose code cannot
 * be read.
 */
void pending_sites_refuse(const struct tracer *t, const struct target *target,
			  const struct ordered_sites *sites);

#endif
