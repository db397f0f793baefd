/* SPDX-License-Identifier: MIT */
/*
 * -x budget: when the probes cost more than that share of the targets' time in a
 * window of a quarter of a second, the most expensive ones of it are switched off, until
 * what is left fits. A single expensive firing switches off nothing (typical.h). Probes
 * stay off, in processes that come later as well. Only probes that have sites can be
 * switched off.
 */
#ifndef TRACER_COST_BUDGET_H
#define TRACER_COST_BUDGET_H

#include "tracer/cost/measured.h"

struct budget;

/* *b stays NULL without the option. STATUS_INVAL: its value is no share. */
int budget_new(const struct tracer *t, struct budget **b, struct err *e);
/* At this time: if a window is over, ends it and begins the next one. */
void budget_turn(struct budget *b, struct tracer *t, const struct cost_ways *ways,
		 uint64_t now);
/* Says that the results are partial if something was switched off. */
void budget_report(const struct budget *b, const struct tracer *t);
void budget_free(struct budget *b);

#endif
