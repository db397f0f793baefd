/* SPDX-License-Identifier: MIT */
/*
 * What a stop costs the thread that is stopped, whatever the keeper does meanwhile.
 */
#ifndef TRACER_KEEPER_STOP_COST_H
#define TRACER_KEEPER_STOP_COST_H

#include "tracer/keeper/keeper.h"
#include "tracer/keeper/cpu/cpu.h"

/*
 * Traces a child of its own that does nothing but stop, as a thread does at a breakpoint,
 * some milliseconds long. Before any target is traced.
 */
struct keeper_stop_cost stop_cost_measure(struct cpu *cpu);

#endif
