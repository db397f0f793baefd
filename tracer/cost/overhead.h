/* SPDX-License-Identifier: MIT */
/*
 * -x overhead and -x budget: what the probes cost the targets. measured.h has the sums.
 */
#ifndef TRACER_COST_OVERHEAD_H
#define TRACER_COST_OVERHEAD_H

#include "tracer/base/core.h"

#define OVERHEAD_ROWS 20 /* that are printed, the most expensive ones */

/*
 * Sets t->overhead if one of the options is set, else the others do nothing. stop:
 * of the keeper's reply. STATUS_INVAL: the budget is none.
 */
int overhead_begin(struct tracer *t, struct keeper_stop_cost stop, struct err *e);
/* Targets from number first on begin to be traced: measured_start(). */
void overhead_start(struct tracer *t, size_t first);
/* While tracing, often: may switch probes off. */
void overhead_turn(struct tracer *t, uint64_t now);
/* Before the targets are released. */
void overhead_stop(struct tracer *t);
/* The table on stderr, and whether the results are partial. */
void overhead_print(const struct tracer *t);
void overhead_free(struct overhead *o);

#endif
