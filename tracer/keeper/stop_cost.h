/* SPDX-License-Identifier: MIT */
/*
 * What a stop costs the thread that is stopped, whatever the keeper does meanwhile.
 */
#ifndef TRACER_KEEPER_STOP_COST_H
#define TRACER_KEEPER_STOP_COST_H

#include "tracer/keeper/os/cpu.h"

/*
 * Traces a child of its own that does nothing but stop, as a thread does at a breakpoint,
 * some milliseconds long. The median of ns from stop to stop; 0: it failed. Before any
 * target is traced.
 */
uint64_t stop_cost_measure(struct cpu *cpu);

#endif
