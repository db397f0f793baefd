/* SPDX-License-Identifier: MIT */
#include "tracer/trust/requests.h"
#include "tracer/trust/inside.h"
#include "vm/base/host/oom.h"
#include "vm/isa.h"

#include <stdlib.h>

/* A clause without room for its record, or for that of its fault, ends tracing. */
static bool makes_stop(const struct requests_config *c,
		       const struct program_clause *clause)
{
	return c->full_stops || program_stops(c->image, clause);
}

static bool makes_snapshot(const struct requests_config *c,
			   const struct program_clause *clause)
{
	const insn_t *code = program_section(c->image, SECTION_CODE);

	for (uint32_t i = 0; i < clause->count; i++) {
		insn_t in = code[clause->first + i];

		if (isa_op(in) == OP_REC &&
		    program_action(c->image, (uint32_t)isa_imm(in))->kind ==
			    ACTION_snapshot)
			return true;
	}
	return false;
}

static bool (*const kinds[REQUEST_COUNT])(const struct requests_config *c,
					  const struct program_clause *clause) = {
	[REQUEST_STOP] = makes_stop,
	[REQUEST_SNAPSHOT] = makes_snapshot,
};

void requests_init(struct requests *r, const struct requests_config *config)
{
	uint32_t n = program_count(config->image, SECTION_CLAUSE);

	*r = (struct requests){.config = *config};
	r->made = oom_calloc((size_t)n + 1, sizeof(*r->made));
	for (uint32_t i = 0; i < n; i++) {
		const struct program_clause *clause = program_clause(config->image, i);

		for (unsigned k = 0; k < REQUEST_COUNT; k++)
			if (kinds[k](config, clause))
				r->made[i] |= 1u << k;
		r->all |= r->made[i];
	}
}

void requests_release(struct requests *r)
{
	free(r->made);
	*r = (struct requests){0};
}

/* Whether the probe makes the request in the process. */
static bool probe_makes(const struct requests *r, const struct probe *p, uint32_t bit,
			uint32_t pid)
{
	const struct requests_config *c = &r->config;

	for (size_t i = 0; i < p->nenablings; i++) {
		uint32_t clause = probe_enablings(p)[i].clause;

		if (r->made[clause] & bit && clause_runs_inside(c->image, p, clause))
			return c->fires_inside(c->ctx, pid, p);
	}
	return false;
}

static bool some_probe_makes(const struct requests *r, uint32_t bit, uint32_t pid)
{
	const struct probes *ps = r->config.probes;

	for (size_t i = 0; i < ps->table.len; i++)
		if (probe_makes(r, &ps->table.data[i], bit, pid))
			return true;
	return false;
}

bool requests_are_made(const struct requests *r, enum request what, uint32_t pid,
		       struct request_grants *known)
{
	const uint32_t bit = 1u << what;

	if (known->nprobes != r->config.probes->table.len)
		known->refused = 0;
	known->nprobes = r->config.probes->table.len;
	if (!(r->all & bit) || known->refused & bit)
		return false;
	if (!(known->granted & bit) && !some_probe_makes(r, bit, pid)) {
		known->refused |= bit;
		return false;
	}
	known->granted |= bit;
	return true;
}
