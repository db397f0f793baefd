/* SPDX-License-Identifier: MIT */
/*
 * -x overhead: what the probes cost the targets, of the time that these ran.
 *
 * A firing in a target takes the way from its jump and back (entry_cost.h) and the
 * clauses. One in the keeper takes a stop (keeper/stop_cost.h) and the clauses. Both ways
 * are measured before tracing begins, the clauses where they run (vm/meter.h).
 */
#ifndef TRACER_COST_OVERHEAD_H
#define TRACER_COST_OVERHEAD_H

#include "tracer/base/core.h"

#define OVERHEAD_ROWS 20 /* that are printed, the most expensive ones */

/* Sets t->overhead if the option is set. stop_ns: struct keeper_block_reply. */
void overhead_begin(struct tracer *t, uint64_t stop_ns);
/*
 * The targets from number first on have begun to be traced: the time that they have run
 * until now does not count. That of children that are followed counts from their birth.
 */
void overhead_start(struct tracer *t, size_t first);
/* Notes how long targets have run, from time to time and before they are released. */
void overhead_turn(struct tracer *t);
/* Prints the table on stderr. */
void overhead_print(const struct tracer *t);
void overhead_free(struct overhead *o);

#endif
