/* SPDX-License-Identifier: MIT */
/*
 * The sites of a target's probes, on their way to the keeper. Before tracing begins
 * they stay in target->sites, for listings.
 */
#ifndef TRACER_SITES_H
#define TRACER_SITES_H

#include "tracer/target.h"

struct target_site {
	uint32_t probe;
	enum keeper_site_kind kind;
	taddr addr;
	uint32_t arg0;
	const struct addr_range *ranges; /* of its function, for RETURN sites */
	size_t nranges;
	const struct module *module; /* of a site of fpid; else NULL */
	struct addr_range part;	     /* of a site of fpid: the part that holds it */
};

/* Adds a site of the probe, unless it has it already. */
void sites_add(struct target *target, const struct target_site *site);
/* Sends the sites gathered so far. Refused ones are reported to the user. */
int sites_send(struct tracer *t, struct target *target, struct err *e);
/* The same with the table of probes before it; the user is told of a failure. */
void sites_send_or_tell(struct tracer *t, struct target *target);

/* Whether resident code can run every clause enabled on the probe, and on ERROR. */
bool sites_can_be_resident(const struct tracer *t, uint32_t probe);
/* Text of enum keeper_reason; empty for another number. */
const char *sites_reason_text(unsigned reason);

#endif
