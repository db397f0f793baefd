/* SPDX-License-Identifier: MIT */
/*
 * Where clauses can run, as far as the probe and the clause decide it.
 */
#ifndef TRACER_TRUST_INSIDE_H
#define TRACER_TRUST_INSIDE_H

#include "tracer/base/probe.h"
#include "tracer/base/provider.h"
#include "vm/program.h"

/* Whether clauses of the probe run there. ERROR fires wherever a clause faults. */
static inline bool probe_fires_in(const struct probe *p, enum exec_context context)
{
	return !p->provider || p->id == PROBE_ERROR ||
	       p->provider->contexts & (uint32_t)context;
}

/* Whether the clause of the probe can be run by resident code. */
static inline bool clause_runs_inside(const void *image, const struct probe *p,
				      uint32_t clause)
{
	return program_clause(image, clause)->contexts & CONTEXT_RESIDENT &&
	       probe_fires_in(p, CONTEXT_RESIDENT);
}

#endif
