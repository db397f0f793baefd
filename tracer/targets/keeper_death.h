/* SPDX-License-Identifier: MIT */
/*
 * After the death of the keeper: what it wrote into the targets' text is taken out.
 * Breakpoints, which would kill, at once, by this process; jumps, through which the
 * threads only pass by now, by another keeper.
 */
#ifndef TRACER_TARGETS_KEEPER_DEATH_H
#define TRACER_TARGETS_KEEPER_DEATH_H

#include "tracer/targets/target.h"

/* Notes what stands at the sites that are about to be sent. */
void keeper_death_save(struct target *target);
/* Puts back what stood where breakpoints are; the targets count as gone. */
void keeper_death_restore_breakpoints(struct tracer *t);
/* Has the jumps taken out. What cannot be mended is told. */
void keeper_death_restore_jumps(struct tracer *t);

#endif
