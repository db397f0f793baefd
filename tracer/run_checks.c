/* SPDX-License-Identifier: MIT */
#include "tracer/run_checks.h"
#include "tracer/cross/cross.h"
#include "tracer/output/out.h"

/* Refuses a clause that no context of its probe can run: it would fault at every hit. */
static int check_contexts(struct tracer *t, struct err *e)
{
	for (size_t i = 0; i < t->probes.table.len; i++) {
		const struct probe *p = &t->probes.table.data[i];

		for (size_t k = 0; k < p->nenablings; k++) {
			uint32_t clause = probe_enablings(p)[k].clause;
			uint32_t contexts = program_clause(t->image, clause)->contexts;

			if (p->provider && !(contexts & p->provider->contexts) &&
			    p->provider->contexts != CONTEXT_FRONT)
				return err_set(e, STATUS_UNSUP,
					       "clause %u uses data that the %s "
					       "provider does not have",
					       clause + 1, p->provider->name);
		}
	}
	return 0;
}

static int check_destructive(struct tracer *t, struct err *e)
{
	uint32_t n = program_count(t->image, SECTION_CLAUSE);

	for (uint32_t i = 0; i < n && !t->options.destructive; i++)
		if (program_clause(t->image, i)->flags & CLAUSE_DESTRUCTIVE)
			return err_set(e, STATUS_PERM,
				       "Destructive actions not allowed");
	if (t->options.destructive && t->cross)
		return cross_refuse(e);
	if (t->options.destructive)
		out_notice(t->out, "allowing destructive actions");
	return 0;
}

int run_checks(struct tracer *t, struct err *e)
{
	int rc = check_destructive(t, e);

	return rc ? rc : check_contexts(t, e);
}
