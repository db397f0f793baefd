/* SPDX-License-Identifier: MIT */
/*
 * After the death of the keeper: what it wrote into the targets' text is taken out.
 * Breakpoints, which would kill, at once, by this process; jumps, through which the
 * threads only pass by now, by another keeper.
 */
#ifndef TRACER_MEND_H
#define TRACER_MEND_H

#include "tracer/target.h"

/* Notes what stands at the sites that are about to be sent. */
void mend_save(struct target *target);
/* Puts back what stood where breakpoints are; the targets count as gone. */
void mend_breakpoints(struct tracer *t);
/* Has the jumps taken out. What cannot be mended is told. */
void mend_jumps(struct tracer *t);

#endif
