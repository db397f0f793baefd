/* SPDX-License-Identifier: MIT */
/*
 * What the way from a jump to the clauses and back costs: stub and resident code.
 */
#ifndef TRACER_COST_ENTRY_COST_H
#define TRACER_COST_ENTRY_COST_H

#include "vm/state.h"

/*
 * Runs the very code that targets get, without clauses, in a child of its own, a
 * millisecond long. ns each; 0: it failed. state: any, which is not changed.
 */
uint64_t entry_cost_measure(const struct state *state);

#endif
