/* SPDX-License-Identifier: MIT */
/*
 * What the probes have cost the targets so far, and how long these have run.
 *
 * A firing in a target takes the way from its jump and back (entry_cost.h) and the
 * clauses. One in the keeper takes a stop (keeper/stop_cost.h) and the clauses. Both ways
 * are measured before tracing begins, the clauses where they run (vm/meter.h).
 */
#ifndef TRACER_COST_MEASURED_H
#define TRACER_COST_MEASURED_H

#include "tracer/base/core.h"
#include "tracer/records/costs.h"

/* The costs of the two ways, in ns; 0: not known. */
struct cost_ways {
	uint64_t ns[COST_KINDS];
};

/* One probe. */
struct measured_row {
	uint32_t probe; /* id; 0: several, which found no meter free */
	double fired, ns;
	struct cost of[COST_KINDS]; /* what that is made of */
};

struct measured {
	struct {
		struct measured_row *data;
		size_t len, cap;
	} rows;	      /* by cost, the largest first */
	double ns;    /* of all probes */
	double whole; /* that the targets ran, or stood still for probes */
};

/* The targets from number first on are traced from now on: what they ran until now does
 * not count. That of children that are followed counts from their birth. */
void measured_start(struct tracer *t, size_t first);
/* Notes how long targets have run: what one that ends ran since then may be lost. */
void measured_turn(struct tracer *t);
/* The sums since then. out is zeroed. */
void measured_now(const struct tracer *t, const struct cost_ways *ways,
		  struct measured *out);
void measured_release(struct measured *m);

/* 100 * part / whole; 0 for nothing. */
double measured_percent(double part, double whole);
/* The four names of the probe, without control characters. */
void measured_add_name(const struct tracer *t, uint32_t probe, struct strbuf *to);

#endif
